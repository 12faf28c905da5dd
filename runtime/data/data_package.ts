/** Package that makes samples of files, such as a tokenizer. */
export interface DataPackage {
  readonly name: string;
  readonly version: string;
}
