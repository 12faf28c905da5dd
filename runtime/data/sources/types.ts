/**
 * Types of data sources. Generated from their schemas by: deno task types
 *
 * @module
 */

import type { Resolved } from "../../core/resolved.ts";
import type { TransformSpec } from "../transforms/types.ts";

/** Fields of every record. */
export interface CommonSourceSpec {
  /** Transforms of each sample, in order. */
  transforms: TransformSpec[];
  /** Run neighbouring transforms in one pass; false runs them separately, with the same results. */
  fuse: boolean;
  /** Device: run crops, flips and normalize at the end of the transforms on the GPU, and upload bytes. */
  placement: "host" | "device";
  /** Keep samples behind the source or some of its transforms, and make them once; null: in every epoch. */
  cache: {
    /** Place of the samples: memory that the workers share, or a file that is deleted with the loader. */
    in: "memory" | "file";
    /** Transforms before the cache, which then run once for each sample; they must draw no random numbers. */
    after: number;
    /** Largest size of the cache, such as 4GiB; samples beyond it are made in every epoch. */
    limit: number;
    /** Fill it before the first batch, to measure epochs from the second on; false: during the first epoch. */
    fill: boolean;
  } | null;
  /** Sleeps, to study starvation. */
  delay: {
    /** Milliseconds to sleep after reading each sample, to study starvation. */
    read: number;
    /** Milliseconds to sleep after decoding each sample. */
    decode: number;
    /** Milliseconds to sleep while collating each batch. */
    collate: number;
  };
}

/** Options of every data source. */
export interface CommonOptions {
  /** Transforms of each sample, in order. Default: `[]`. */
  readonly transforms?: readonly TransformSpec[] | undefined;
  /** Run neighbouring transforms in one pass; false runs them separately, with the same results. Default: `true`. */
  readonly fuse?: boolean | undefined;
  /** Device: run crops, flips and normalize at the end of the transforms on the GPU, and upload bytes. Default: `"host"`. */
  readonly placement?: "host" | "device" | undefined;
  /** Keep samples behind the source or some of its transforms, and make them once; null: in every epoch. */
  readonly cache?:
    | "memory"
    | "file"
    | {
      /** Place of the samples: memory that the workers share, or a file that is deleted with the loader. */
      readonly in: "memory" | "file";
      /** Transforms before the cache, which then run once for each sample; they must draw no random numbers. Default: `0`. */
      readonly after?: number | undefined;
      /** Largest size of the cache, such as 4GiB; samples beyond it are made in every epoch. Default: `1073741824`. */
      readonly limit?: number | string | undefined;
      /** Fill it before the first batch, to measure epochs from the second on; false: during the first epoch. Default: `true`. */
      readonly fill?: boolean | undefined;
    }
    | null
    | undefined;
  /** Sleeps, to study starvation. */
  readonly delay?: {
    /** Milliseconds to sleep after reading each sample, to study starvation. Default: `0`. */
    readonly read?: number | undefined;
    /** Milliseconds to sleep after decoding each sample. Default: `0`. */
    readonly decode?: number | undefined;
    /** Milliseconds to sleep while collating each batch. Default: `0`. */
    readonly collate?: number | undefined;
  } | undefined;
}

/** Record that `cifar10` returns. */
export interface Cifar10Spec extends CommonSourceSpec, Resolved<Cifar10Options, CommonOptions> {
  kind: "cifar10";
  /** Unit of throughput in reports. */
  unit: "images";
}

/** Options of `cifar10`. */
export interface Cifar10Options extends CommonOptions {
  /** Folder with data_batch_1.bin ... and test_batch.bin; null: generated stand-in data. */
  readonly dir?: string | null | undefined;
}

/** Record that `cifar100` returns. */
export interface Cifar100Spec extends CommonSourceSpec, Resolved<Cifar100Options, CommonOptions> {
  kind: "cifar100";
  /** Unit of throughput in reports. */
  unit: "images";
}

/** Options of `cifar100`. */
export interface Cifar100Options extends CommonOptions {
  /** Folder with train.bin and test.bin of the binary version. */
  readonly dir: string;
  /** 100 fine or 20 coarse classes. Default: `"fine"`. */
  readonly labels?: "fine" | "coarse" | undefined;
}

/** Record that `idx` returns. */
export interface IdxSpec extends CommonSourceSpec, Resolved<IdxOptions, CommonOptions> {
  kind: "idx";
  /** Unit of throughput in reports. */
  unit: "images";
}

/** Options of `idx`. */
export interface IdxOptions extends CommonOptions {
  /** Folder with train-images-idx3-ubyte, ... in MNIST's format, gzipped or not. */
  readonly dir: string;
  /** Number of classes. Default: `10`. */
  readonly classes?: number | undefined;
}

/** Record that `imageFolder` returns. */
export interface ImageFolderSpec extends CommonSourceSpec, Resolved<ImageFolderOptions, CommonOptions> {
  kind: "imageFolder";
  /** [height, width] of all files; null if they differ. */
  size: [number, number] | null;
  /** Unit of throughput in reports. */
  unit: "images";
}

/** Options of `imageFolder`. */
export interface ImageFolderOptions extends CommonOptions {
  /** Folder with one subfolder of PNG and JPEG files per class; null: generated stand-in JPEGs. */
  readonly dir?: string | null | undefined;
  /** The same for the test split. */
  readonly test?: string | null | undefined;
  /** 3 converts files to RGB, 1 to grey. Default: `3`. */
  readonly channels?: 1 | 3 | undefined;
  /** [height, width] of all files; null if they differ. */
  readonly size?: readonly [number, number] | null | undefined;
}

/** Record that `syntheticImages` returns. */
export interface SyntheticImagesSpec extends CommonSourceSpec, Resolved<SyntheticImagesOptions, CommonOptions> {
  kind: "syntheticImages";
  /** Unit of throughput in reports. */
  unit: "images";
}

/** Options of `syntheticImages`. */
export interface SyntheticImagesOptions extends CommonOptions {
  /** Channels of each image. Default: `3`. */
  readonly channels?: number | undefined;
  /** Height in pixels. */
  readonly height: number;
  /** Width in pixels. */
  readonly width: number;
  /** Number of classes. */
  readonly classes: number;
  /** Number of images. */
  readonly length: number;
}

/** Record that `tensors` returns. */
export interface TensorsSpec extends CommonSourceSpec {
  kind: "tensors";
  /** Samples to train on. */
  train: {
    input?: {
      /** Shape of one sample's input. */
      shape: number[];
      /** Inputs of all samples. */
      data: Float32Array | Int32Array | Uint8Array;
    } | undefined;
    /** Inputs by name, in place of `input`, for a model that takes a record. */
    inputs?: {
      [name: string]: {
        shape: number[];
        data: Float32Array | Int32Array;
      };
    } | undefined;
    target: {
      /** Shape of one sample's target. */
      shape: number[];
      /** Targets of all samples. */
      data: Int32Array | Float32Array;
    };
  };
  /** Samples to evaluate on. */
  test: {
    input?: {
      /** Shape of one sample's input. */
      shape: number[];
      /** Inputs of all samples. */
      data: Float32Array | Int32Array | Uint8Array;
    } | undefined;
    /** Inputs by name, in place of `input`, for a model that takes a record. */
    inputs?: {
      [name: string]: {
        shape: number[];
        data: Float32Array | Int32Array;
      };
    } | undefined;
    target: {
      /** Shape of one sample's target. */
      shape: number[];
      /** Targets of all samples. */
      data: Int32Array | Float32Array;
    };
  } | null;
  /** Number of classes that Int32Array targets index; null for regression. */
  classes: number | null;
  /** Class index of ignored targets, which add neither loss nor gradient. */
  ignoreIndex: number;
  /** Unit of throughput in reports. */
  unit: "samples" | "tokens";
}

/** Record that `npz` returns. */
export interface NpzSpec extends CommonSourceSpec, Resolved<NpzOptions, CommonOptions> {
  kind: "npz";
  /** Arrays to train on. */
  train: {
    /** Inputs, one after the other. */
    input: string;
    /** Targets, one after the other. */
    target: string;
  };
  /** Arrays to evaluate on. */
  test: {
    /** Inputs, one after the other. */
    input: string;
    /** Targets, one after the other. */
    target: string;
  } | null;
}

/** Options of `npz`. */
export interface NpzOptions extends CommonOptions {
  /** .npz archive with the arrays that train and test name; null: they name .npy files. */
  readonly file?: string | null | undefined;
  /** .npz archive of the test split; null: the same as for training. */
  readonly testFile?: string | null | undefined;
  /** Arrays to train on. */
  readonly train: {
    /** Inputs, one after the other. */
    readonly input: string;
    /** Targets, one after the other. */
    readonly target: string;
  };
  /** Arrays to evaluate on. */
  readonly test?:
    | {
      /** Inputs, one after the other. */
      readonly input: string;
      /** Targets, one after the other. */
      readonly target: string;
    }
    | null
    | undefined;
  /** Memory order of three-dimensional inputs, which are images. Default: `"chw"`. */
  readonly order?: "chw" | "hwc" | undefined;
  /** Number of classes that targets index; null: one more than the largest integer target. */
  readonly classes?: number | null | undefined;
  /** Unit of throughput in reports. Default: `"samples"`. */
  readonly unit?: "samples" | "images" | undefined;
}

/** Record that `text` returns. */
export interface TextSpec extends CommonSourceSpec, Resolved<TextOptions, CommonOptions> {
  kind: "text";
  /** Unit of throughput in reports. */
  unit: "tokens";
}

/** Options of `text`. */
export interface TextOptions extends CommonOptions {
  /** UTF-8 text; null: generated stand-in data. */
  readonly file?: string | null | undefined;
  /** Text of the test split; null: the end of the text. */
  readonly test?: string | null | undefined;
  /** Unit of text that makes a token: a character that occurs, a byte, or a byte pair of an encoding of OpenAI's. Default: `"characters"`. */
  readonly tokenizer?: "characters" | "bytes" | "gpt2" | "cl100k_base" | "o200k_base" | undefined;
  /** Tokens of an input; its targets are the tokens one position later. */
  readonly context: number;
  /** Tokens from the start of one input to the next; null: context, so that inputs do not overlap. */
  readonly stride?: number | null | undefined;
  /** Part of the tokens, at the end, that is the test split, unless test names one; 0 for none. Default: `0.1`. */
  readonly testFraction?: number | undefined;
}

/** Record that `tokens` returns. */
export interface TokensSpec extends CommonSourceSpec, Resolved<TokensOptions, CommonOptions> {
  kind: "tokens";
  /** Unit of throughput in reports. */
  unit: "tokens";
}

/** Options of `tokens`. */
export interface TokensOptions extends CommonOptions {
  /** Binary file of token ids, little-endian and without a header, as nanoGPT's train.bin. */
  readonly file?: string | null | undefined;
  /** Token ids in memory, instead of a file. */
  readonly array?: Uint8Array | Uint16Array | Int32Array | null | undefined;
  /** File or array of the test split. */
  readonly test?: string | Uint8Array | Uint16Array | Int32Array | null | undefined;
  /** Type of the ids in a file; null for an array. */
  readonly dtype?: "u8" | "u16" | "i32" | null | undefined;
  /** Number of token ids; null: one more than the largest of an array, 256 for a file of u8. */
  readonly vocabulary?: number | null | undefined;
  /** Tokens of an input; its targets are the tokens one position later. */
  readonly context: number;
  /** Tokens from the start of one input to the next; null: context, so that inputs do not overlap. */
  readonly stride?: number | null | undefined;
  /** Part of the tokens, at the end, that is the test split, unless test names one; 0 for none. Default: `0.1`. */
  readonly testFraction?: number | undefined;
}

/** Record that `source` returns. */
export interface SourceSpec extends CommonSourceSpec {
  kind: "source";
  /** Module that exports length and get(index). */
  module: string;
  /** The same for the test split. */
  test: string | null;
  input?: {
    /** Shape of one sample's input; [channels, height, width] for images. */
    shape: number[];
    /** Array that get returns; u8: Uint8Array, f32: Float32Array, i32: Int32Array. */
    dtype: "u8" | "f32" | "i32";
  } | undefined;
  /** Inputs by name, in place of `input`, for a model that takes a record. */
  inputs?: {
    [name: string]: {
      /** Shape of one sample. */
      shape: number[];
      dtype: "f32" | "i32";
    };
  } | undefined;
  target: {
    /** Shape of one sample's target. */
    shape: number[];
    /** I32: class indices, f32: values. */
    dtype: "i32" | "f32";
  };
  /** Additional tensors of each sample, by name. */
  fields?: {
    [name: string]: {
      /** Shape of one sample. */
      shape: number[];
      dtype: "u8" | "i32" | "u32" | "f32";
    };
  } | undefined;
  /** Number of classes that targets index. */
  classes: number | null;
  /** Class index of ignored targets, which add neither loss nor gradient. */
  ignoreIndex: number;
  /** Samples in the training split; null reads the module's length, which rules out a top-level await. */
  length: number | null;
  /** The same for the test split. */
  testLength: number | null;
  /** Unit of throughput in reports. */
  unit: "samples" | "images" | "tokens";
}

/** Record of any of the data sources. */
export type DataSpec =
  | Cifar10Spec
  | Cifar100Spec
  | IdxSpec
  | ImageFolderSpec
  | SyntheticImagesSpec
  | TensorsSpec
  | NpzSpec
  | TextSpec
  | TokensSpec
  | SourceSpec;
