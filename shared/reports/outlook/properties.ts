/** Names in Outlook messages ([MS-OXMSG] section 2). */

/** Section 2.4: every message and every attachment has this stream; other compound files do not. */
export const PROPERTIES = '__properties_version1.0';
/** The prefix of the name of an attachment's storage. */
export const ATTACHMENT = '__attach_version1.0_#';

/** Property ids ([MS-OXPROPS]). */
export const PROPERTY = {
  transportHeaders: 0x007d,
  body: 0x1000,
  data: 0x3701,
  fileName: 0x3704,
  longFileName: 0x3707,
  mimeType: 0x370e,
} as const;

/** Property types ([MS-OXCDATA] section 2.11.1); text has one of two types. */
export const TYPE = { unicode: 0x001f, octets: 0x001e, binary: 0x0102, object: 0x000d } as const;

/** Section 2.1: the name of the stream or storage of a property. */
export const streamName = (property: number, type: number): string =>
  `__substg1.0_${hex(property)}${hex(type)}`;

const hex = (number: number): string => number.toString(16).padStart(4, '0');
