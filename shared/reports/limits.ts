/** What a report mail may cost. Peers' limits and real reports behind the figures: the largest report known has 3.6 MB. */

/**
 * Of processor time; the largest reports take one. Mails that take more are read no further well before the time of the
 * function that reads them is over, also where large reports are unpacked a second time to be stored.
 */
export const MAX_READING_SECONDS = 20;

const KB = 1024;
const MB = 1024 * KB;

/** SES hands over messages up to 40 MB, headers and encoding included. */
export const MAX_MESSAGE_BYTES = 40 * MB;
export const MAX_MIME_PARTS = 100;
export const MAX_MIME_DEPTH = 8;
/** Parts of a message that begin like a report or an archive and are looked into. */
export const MAX_ATTACHMENTS = 10;
/** Files of all attachments together, as many as attachments in archives that are not nested may hold. */
export const MAX_DOCUMENTS = 160;

export const MAX_COMPRESSED_BYTES = 10 * MB;
/** Counted while unpacking. There is no limit on the ratio: real reports reach 166:1. */
export const MAX_UNPACKED_BYTES = 64 * MB;
export const MAX_UNPACKED_BYTES_PER_MAIL = 128 * MB;
/**
 * Members of gzip files and entries of zip files that are unpacked, each as often as it is. Each costs as much as 32 KB,
 * be it empty. Real reports have one, and the largest ones, written in blocks of 64 KB, a thousand.
 */
export const MAX_PACKED_PIECES = 2_000;
/** Not counted for each row that was read, so that a report can reach MAX_RECORDS with rows of usual size. */
export const ROW_ALLOWANCE_BYTES = 1 * KB;

export const MAX_ZIP_ENTRIES = 512;
export const MAX_ZIP_ENTRIES_USED = 16;
/** An archive in an archive, and no further. */
export const MAX_ARCHIVE_DEPTH = 2;

export const MAX_XML_DEPTH = 16;
export const MAX_XML_ATTRIBUTES = 64;
/** A text node, a tag, a comment: nothing between two angle brackets is longer. */
export const MAX_XML_TOKEN = 64 * KB;

/** Characters of a value that are kept. */
export const MAX_VALUE = 1 * KB;
export const MAX_RECORDS = 200_000;
/** RFC 9990 asks for no more than 100 signatures in a record. */
export const MAX_DKIM_RESULTS = 100;
export const MAX_SPF_RESULTS = 10;
export const MAX_REASONS = 20;
/** Results and reasons in a record that are gone through at all. */
export const MAX_PARTS = 10_000;

/** A TLS report is read as a whole, so that its text is held to less. */
export const MAX_JSON_BYTES = 16 * MB;
export const MAX_JSON_DEPTH = 16;
/** Objects and arrays, members and elements: what bounds the memory that a text takes when it is read. */
export const MAX_JSON_CONTAINERS = 100_000;
export const MAX_JSON_MEMBERS = 1_000_000;
export const MAX_TLS_POLICIES = 1_000;
export const MAX_FAILURE_DETAILS = 20_000;
export const MAX_POLICY_STRINGS = 100;

/** Rows handed over at a time. */
export const RECORDS_PER_BATCH = 100;
/** Reports up to so many rows keep them in memory, larger ones are unpacked again when their rows are asked for. */
export const MAX_HELD_RECORDS = 200;
