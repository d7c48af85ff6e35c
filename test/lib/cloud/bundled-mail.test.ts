/** Bundles contain stand-ins for parts of the mail libraries, and load others from files: mails must be read the same. */
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { bundleFiles } from '../../../lib/cloud/bundle.ts';
import { string } from '../../../lib/cloud/joi-stand-in.ts';
import { ReadingTime } from '../../../shared/reports/budget.ts';
import { messageParts, PartBudget } from '../../../shared/reports/message.ts';
import { useFolder } from '../../kit/use.ts';
import { attachment, mail, multipart, text } from '../../shared/reports/mail.ts';
import { runAsLambda } from './activation/fake-aws.ts';

const folder = useFolder('bundled-mail');
await bundleFiles(
  ['message', 'budget'].map((name) => ({ in: `shared/reports/${name}.ts`, out: `read/${name}` })),
  folder,
);

/** A mail with an attachment whose file name is in a character set, and with texts in which a mail program finds links. */
const inCharacterSet = (charset: string, octets: readonly number[]) =>
  mail(
    multipart([
      text('See https://reporter.example/ or write to dmarc@reporter.example.'),
      {
        headers: ['Content-Type: text/html'],
        body: '<p>See &lt;<a href="https://reporter.example/">us</a>&gt;',
      },
      attachment('report', 'application/octet-stream', [
        `Content-Disposition: attachment; filename="=?${charset}?B?${Buffer.from(octets).toString('base64')}?=.xml"`,
      ]),
    ]),
    ['Cc: "A & B" <a@one.example>, List: b@two.example, c@xn--bcher-kva.example;'],
  );

const mails = {
  'iso-2022-jp': inCharacterSet('iso-2022-jp', [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42]),
  shift_jis: inCharacterSet('shift_jis', [0x93, 0xfa, 0x96, 0x7b]),
  gb18030: inCharacterSet('gb18030', [0xb1, 0xa8, 0xb8, 0xe6]),
  big5: inCharacterSet('big5', [0xb3, 0xf8, 0xa7, 0x69]),
  'euc-kr': inCharacterSet('euc-kr', [0xba, 0xb8, 0xb0, 0xed]),
  koi8: inCharacterSet('koi8-r', [0xcf, 0xd4, 0xde, 0xc5, 0xd4]),
};

test('a bundle reads the parts of mails as the source does, in every character set', async () => {
  const expected: unknown[] = [];
  for (const message of Object.values(mails)) {
    for await (const { headers, bytes, ...part } of messageParts(
      message,
      new PartBudget(new ReadingTime()),
    )) {
      expected.push({ ...part, headers: [...headers], bytes: Buffer.from(bytes).toString('latin1') });
    }
  }
  expect(expected).toHaveLength(3 * Object.keys(mails).length);
  expect(JSON.stringify(expected)).toContain('\u65e5\u672c.xml');
  const inputs = join(folder, 'mails.json');
  await writeFile(inputs, JSON.stringify(Object.values(mails).map((message) => message.toString('latin1'))));
  const read = await runAsLambda(`
    const { messageParts, PartBudget } = await import(${JSON.stringify(join(folder, 'read/message.mjs'))});
    const { ReadingTime } = await import(${JSON.stringify(join(folder, 'read/budget.mjs'))});
    const { readFileSync } = await import('node:fs');
    const all = [];
    for (const text of JSON.parse(readFileSync(${JSON.stringify(inputs)}))) {
      const message = Buffer.from(text, 'latin1');
      for await (const { headers, bytes, ...part } of messageParts(message, new PartBudget(new ReadingTime()))) {
        all.push({ ...part, headers: [...headers], bytes: Buffer.from(bytes).toString('latin1') });
      }
    }
    console.log(JSON.stringify(all));`);
  expect(read).toEqual(JSON.parse(JSON.stringify(expected)));
});

test.each(['', 'AAAA', 'AAA=', 'AAA', 'AA==', 'AA', 'AA=', 'A', 'A===', 'AA-_', 'AA AA', '====', 'AAAA=='])(
  'the stand-in for joi agrees about %j',
  (value) => {
    const ofMailauth = createRequire(createRequire(import.meta.url).resolve('mailauth'));
    const schema = ofMailauth('joi').string().base64({ paddingRequired: false }).allow('');
    expect(string().base64().validate(value).error === undefined).toBe(
      schema.validate(value).error === undefined,
    );
  },
);
