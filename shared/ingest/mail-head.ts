/** The sender and the subject of a report mail, as the list of mails shows them. */
import { decodeWords } from '../mail-test/encoded-words.ts';
import { readHeaderSection, valuesOf } from '../protocol/message/header-section.ts';
import { printable } from '../protocol/printable.ts';
import { isPlainFailure } from '../reports/failure-report.ts';
import type { MailHead } from '../store/reports/mail-outcomes.ts';

/** All that is known about a mail is one item, so its texts are short. */
const MAX_CHARACTERS = 200;

/** What is known of a mail before it is read, or if it is too large to be read. */
export const unknownHead: MailHead = { from: null, subject: null };

/**
 * Reads the first From and Subject fields, shortened and without hidden characters; null if there is none. The subject of
 * a failure report is null: it often repeats that of the message that the report is about, which is personal data.
 */
export function headOf(message: Uint8Array): MailHead {
  const section = readHeaderSection(message);
  const shown = (name: string) => {
    const [value] = valuesOf(section, name);
    return value === undefined ? null : printable(decodeWords(value), MAX_CHARACTERS);
  };
  const headers = new Map(section.fields.map(({ name, value }) => [name, value]));
  const isFailure = isPlainFailure(headers, new Uint8Array());
  return { from: shown('from'), subject: isFailure ? null : shown('subject') };
}
