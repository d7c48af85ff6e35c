/** Names of what a message of Outlook is made of ([MS-OXMSG] section 2). */

/** Section 2.4: every message and every attachment has this stream, and no other compound file has it. */
export const PROPERTIES = '__properties_version1.0';
/** Begins the name of an attachment's storage. */
export const ATTACHMENT = '__attach_version1.0_#';

/** Ids of properties ([MS-OXPROPS]). */
export const PROPERTY = {
  transportHeaders: 0x007d,
  body: 0x1000,
  data: 0x3701,
  fileName: 0x3704,
  longFileName: 0x3707,
  mimeType: 0x370e,
} as const;

/** Types of properties ([MS-OXCDATA] section 2.11.1): text comes in either of two. */
export const TYPE = { unicode: 0x001f, octets: 0x001e, binary: 0x0102, object: 0x000d } as const;

/** Section 2.1: of the stream, or the storage, that holds a property. */
export const streamName = (property: number, type: number): string =>
  `__substg1.0_${hex(property)}${hex(type)}`;

const hex = (number: number): string => number.toString(16).padStart(4, '0');
