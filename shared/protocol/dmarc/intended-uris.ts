/** Report addresses that a record states in a form that reporters do not read, though it is plain which they are. */
import { trimFoldingWhiteSpace } from '../tag-list.ts';
import { parseReportUris, type ReportUri } from './report-uri.ts';

/** The URI that an entry of a `rua` or `ruf` tag was meant to be: an address without `mailto:` gets it. */
export function intendedUri(entry: string): string {
  const text = trimFoldingWhiteSpace(entry);
  const isAddress = text.includes('@') && !text.includes(':') && isMailUri(`mailto:${text}`);
  return isAddress ? `mailto:${text}` : text;
}

/** Whether reports can be mailed to an entry, as it is or as it was meant. */
export const isReportAddress = (entry: string): boolean => isMailUri(intendedUri(entry));

/** All addresses that a record names, also in duplicate tags, and after a semicolon in place of a comma. */
export function intendedUris(record: string): readonly ReportUri[] {
  const entries = record.split(/[,;]/).map((entry) => entry.replace(/^[ \t\r\n]*ru[af][ \t]*=/i, ''));
  return parseReportUris(entries.filter(isReportAddress).map(intendedUri).join()).uris;
}

function isMailUri(text: string): boolean {
  const { uris, malformed } = parseReportUris(text);
  return malformed.length === 0 && uris.length === 1 && uris[0]?.host !== null;
}
