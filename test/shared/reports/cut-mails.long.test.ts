import { expect, test } from '@jest/globals';
import { corpusSuite } from '../../kit/corpus.ts';
import { endsInReader, everyLine, everyOctets, readCutMails } from '../../kit/cut-mails.ts';

corpusSuite('truncated mails of the corpus', () => {
  test('have an outcome if they are truncated at many lines', async () => {
    const step = 3;
    const someLines = (mail: Uint8Array) =>
      everyLine(mail).filter((_, line) => line % step === mail.length % step);
    const { mails, lost } = await readCutMails(someLines, [endsInReader]);
    expect(lost).toEqual([]);
    expect(mails).toBeGreaterThan(7_000 / step);
  });

  test('have an outcome and a verdict in a sample truncated at any byte', async () => {
    const step = 211;
    const { mails, lost } = await readCutMails(everyOctets(step));
    expect(lost).toEqual([]);
    expect(mails).toBeGreaterThan(316_500 / step);
  });
});
