export { encode as encodeCl100k } from "npm:gpt-tokenizer@4.0.0/encoding/cl100k_base";
export { encode as encodeO200k } from "npm:gpt-tokenizer@4.0.0/encoding/o200k_base";
export { encode as encodeGpt2, vocabularySize } from "npm:gpt-tokenizer@4.0.0/encoding/r50k_base";
