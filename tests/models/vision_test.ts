/** Models of images, held against the reference in double precision. */
import { testTrainings, testVariants } from "./checks.ts";
import { full } from "../support/full.ts";
import { mobilenetV2, mobilenetV3 } from "./mobilenet.ts";
import { unets } from "./unet.ts";
import { vit } from "./vit.ts";

const ALL = [vit, mobilenetV2, mobilenetV3, ...unets];

// Other tests have the operations of the other two in the fast set, and train with the kernels of the other class
testTrainings(full ? ALL : [vit, mobilenetV3, unets[0]!], undefined, full ? ALL : []);

testVariants(vit, ["nchw", "unfused", "composed", "tiled", "amp"]);
testVariants(mobilenetV2, ["unfused", "amp"]);
testVariants(mobilenetV3, ["nchw"]);
testVariants(unets[0]!, ["nchw", "unfused", "amp"]);
