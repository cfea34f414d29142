/** What the main thread and the decoder thread tell each other: plain data and bytes. */
import type { ByteRange } from "../byte-source.ts";
import type { ErrorCode, TableWindow, WindowRequest } from "../contract.ts";
import type { BodyFormat } from "./body-format.ts";
import type { FileTail } from "./remote-source.ts";

/** What is to be read. */
export type JobWork =
  | {
      readonly format: "parquet";
      readonly version: string;
      readonly sizeBytes: number;
      readonly tail: FileTail;
      readonly request: WindowRequest;
    }
  | {
      readonly format: "json-columns";
      readonly key: string;
      readonly at: string;
      readonly request: WindowRequest;
    }
  | {
      readonly format: "body";
      /** undefined: the table is not kept. */
      readonly key: string | undefined;
      readonly body: BodyFormat;
      readonly request: WindowRequest;
    }
  | { readonly format: "warm" };

export type ToDecoder =
  | { readonly kind: "start"; readonly job: number; readonly work: JobWork }
  | {
      readonly kind: "bytes";
      readonly job: number;
      readonly read: number;
      /** Which of the asked ranges. */
      readonly index: number;
      readonly bytes: Uint8Array;
      /** Of a whole body, where it is told. */
      readonly mediaType?: string | undefined;
    }
  | { readonly kind: "cancel"; readonly job: number };

export type FromDecoder =
  | { readonly kind: "ready" }
  | {
      readonly kind: "read";
      readonly job: number;
      readonly read: number;
      /** Ranges of the file; none: the whole body. */
      readonly ranges: readonly ByteRange[];
    }
  | {
      readonly kind: "progress";
      readonly job: number;
      readonly done: number;
      readonly total: number;
    }
  | { readonly kind: "done"; readonly job: number; readonly window?: TableWindow }
  | {
      readonly kind: "failed";
      readonly job: number;
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint?: string;
    }
  | { readonly kind: "cancelled"; readonly job: number };
