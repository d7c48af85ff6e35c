import { expect, test } from '@jest/globals';
import { corpusSuite } from '../../kit/corpus.ts';
import { endsInReader, everyLine, everyOctets, readCutMails } from '../../kit/cut-mails.ts';

/** `npm run bench cut-mails` truncates them at every byte. */
corpusSuite('truncated mails of the corpus', () => {
  test('have an outcome if they are truncated at every third line', async () => {
    const everyThird = (mail: Uint8Array) =>
      everyLine(mail).filter((_, line) => line % 3 === mail.length % 3);
    const { mails, lost } = await readCutMails(everyThird, [endsInReader]);
    expect(lost).toEqual([]);
    expect(mails).toBeGreaterThan(2_300);
  });

  test('have an outcome and a verdict in a sample truncated at any byte', async () => {
    const { mails, lost } = await readCutMails(everyOctets(211));
    expect(lost).toEqual([]);
    expect(mails).toBeGreaterThan(1_500);
  });
});
