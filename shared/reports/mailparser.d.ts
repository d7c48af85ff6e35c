/** The part of mailparser that message.ts uses; the package brings no types. */
declare module 'mailparser' {
  import type { Readable, Transform } from 'node:stream';

  export interface Attachment {
    readonly type: 'attachment';
    readonly contentType: string | false;
    readonly filename?: string;
    /** `2.1`: the place in the tree of parts; null for a message of one part. */
    readonly partId: string | null;
    /** Must be read to its end before release(). */
    readonly content: Readable;
    readonly release: () => void;
  }

  export interface Options {
    readonly maxHeadSize?: number;
    readonly maxChildNodes?: number;
    readonly checksumAlgo?: string;
  }

  export class MailParser extends Transform {
    constructor(options?: Options);
    /** Types of parts that are text of the message and not attachments. */
    textTypes: string[];
    /** Of the message itself, by lower-case name; false until they have been read. */
    headers: Map<string, unknown> | false;
    [Symbol.asyncIterator](): NodeJS.AsyncIterator<Attachment | { readonly type: 'text' }>;
  }
}
