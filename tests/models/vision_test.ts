/** Models of images, held against the reference in double precision. */
import { testTrainings, testVariants } from "./checks.ts";
import { mobilenetV2, mobilenetV3 } from "./mobilenet.ts";
import { unets } from "./unet.ts";
import { vit } from "./vit.ts";

testTrainings([vit, mobilenetV2, mobilenetV3, ...unets]);

testVariants(vit, ["nchw", "unfused", "composed", "tiled", "amp"], ["amp"]);
testVariants(mobilenetV2, ["unfused", "amp"], []);
testVariants(mobilenetV3, ["nchw"], []);
testVariants(unets[0]!, ["nchw", "unfused", "amp"], ["nchw"]);
