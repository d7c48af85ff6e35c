/** Texts that were evidently meant to be DMARC records, but that receivers do not recognize. */
import { trimMatching } from '../trim.ts';
import { isDmarcRecord, parseDmarcRecord } from './record.ts';

/** Whether a TXT record was probably meant to be a DMARC record, but is none for receivers. */
export function isLookalike(text: string): boolean {
  const parsed = parseDmarcRecord(text);
  return !parsed.ok && parsed.resembles;
}

/** The record that a text was evidently meant to be: the version as receivers expect it, without quotes around it. */
export function corrected(text: string): string {
  if (isDmarcRecord(text)) return text.trim();
  const bare = trimMatching(text, /[\s"'\\\u201c\u201d]/);
  return bare.replace(/^(?:v\s*=\s*)?["']?dmarc\s*1["']?\s*[;,:]?\s*/i, 'v=DMARC1; ');
}
