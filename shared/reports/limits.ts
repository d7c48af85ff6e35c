/** Resource limits for report mails, based on limits of other implementations and on real reports (at most 3.6 MB). */

/**
 * Seconds of wall-clock time, from fetching a mail until every report in it is read or rejected: authenticating the
 * sender, splitting the mail into parts, decompressing and parsing. Time during which the machine runs other processes
 * does not count. Fetching a mail and storing the rows of its reports do not count either: they depend on our own
 * services and on the limits below. The largest real reports take a second; 200,000 rows (MAX_RECORDS) take five.
 */
export const MAX_READING_SECONDS = 10;

const KB = 1024;
const MB = 1024 * KB;

/** SES accepts messages up to 40 MB, including headers and encoding. */
export const MAX_MESSAGE_BYTES = 40 * MB;
export const MAX_MIME_PARTS = 100;
export const MAX_MIME_DEPTH = 8;
/** Message parts that look like a report or an archive and are parsed. */
export const MAX_ATTACHMENTS = 10;
/** Files in all attachments together; enough for the maximum number of attachments with archives that are not nested. */
export const MAX_DOCUMENTS = 160;

export const MAX_COMPRESSED_BYTES = 10 * MB;
/** Counted during decompression. There is no limit on the ratio, because real reports reach 166:1. */
export const MAX_UNPACKED_BYTES = 64 * MB;
export const MAX_UNPACKED_BYTES_PER_MAIL = 128 * MB;
/**
 * Decompressed gzip members and zip entries, counted each time. Each of them costs as much as 32 KB, even if it is empty.
 * Real reports have one, and the largest ones, with blocks of 64 KB, have a thousand.
 */
export const MAX_PACKED_PIECES = 2_000;
/** Bytes per parsed row that do not count, so that a report with rows of usual size can reach MAX_RECORDS. */
export const ROW_ALLOWANCE_BYTES = 1 * KB;

export const MAX_ZIP_ENTRIES = 512;
export const MAX_ZIP_ENTRIES_USED = 16;
/** An archive in an archive, but not deeper. */
export const MAX_ARCHIVE_DEPTH = 2;

export const MAX_XML_DEPTH = 16;
export const MAX_XML_ATTRIBUTES = 64;
/** The maximum length of a text node, a tag, or a comment. */
export const MAX_XML_TOKEN = 64 * KB;
/** Characters of all values in a record, or in another child of the root. */
export const MAX_XML_ELEMENT = 512 * KB;

/** The maximum number of characters of a stored value. */
export const MAX_VALUE = 1 * KB;
export const MAX_RECORDS = 200_000;
/** Messages of a report that count: more than anyone receives in a day. Keeps sums exact despite forged reports. */
export const MAX_MESSAGES = 10 ** 10;
/** RFC 9990 allows at most 100 signatures in a record. */
export const MAX_DKIM_RESULTS = 100;
export const MAX_SPF_RESULTS = 10;
export const MAX_REASONS = 20;

/** TLS reports are parsed as a whole in memory, so their size limit is smaller. */
export const MAX_JSON_BYTES = 16 * MB;
export const MAX_JSON_DEPTH = 16;
/** Limits on objects, arrays, and members, which bound the memory of parsed JSON. */
export const MAX_JSON_CONTAINERS = 100_000;
export const MAX_JSON_MEMBERS = 1_000_000;
export const MAX_TLS_POLICIES = 1_000;
export const MAX_FAILURE_DETAILS = 20_000;
export const MAX_POLICY_STRINGS = 100;

/** Rows per batch. */
export const RECORDS_PER_BATCH = 100;
/** Reports with up to this many rows keep them in memory; larger ones are decompressed again to read their rows. */
export const MAX_HELD_RECORDS = 200;
