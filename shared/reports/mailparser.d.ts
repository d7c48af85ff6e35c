/** Types for the part of mailparser that message.ts uses; the package has none. */
declare module 'mailparser' {
  import type { Readable, Transform } from 'node:stream';

  export interface Attachment {
    readonly type: 'attachment';
    readonly contentType: string | false;
    readonly filename?: string;
    /** The position in the tree of parts, such as `2.1`; null for a message with one part. */
    readonly partId: string | null;
    /** Must be consumed before release(). */
    readonly content: Readable;
    readonly release: () => void;
  }

  export interface Options {
    readonly maxHeadSize?: number;
    readonly maxChildNodes?: number;
    readonly checksumAlgo?: string;
    ignoreEmbedded?: boolean;
  }

  export class MailParser extends Transform {
    constructor(options?: Options);
    /** The types of parts that are text of the message and not attachments. */
    textTypes: string[];
    /** Formats the addresses of a header field as HTML, while the header is parsed. */
    getAddressesHTML: (addresses: unknown) => string;
    /** The headers of the message by lower-case name; false before they are parsed. */
    headers: Map<string, unknown> | false;
    [Symbol.asyncIterator](): NodeJS.AsyncIterator<Attachment | { readonly type: 'text' }>;
  }
}
