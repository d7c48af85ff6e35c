import { describe, expect, test } from '@jest/globals';
import { domainOf, localPartOf, parseMailAddress } from '../../../shared/protocol/mail-address.ts';
import { asWritten, byAnswer, byPlace, listed, words } from '../../kit/answers.ts';

describe('a mail address', () => {
  test.each([
    ['ops@example.org', 'ops@example.org', 'example.org'],
    ["O'Brien+alerts@EXAMPLE.org", "O'Brien+alerts@example.org", 'example.org'],
    ['ops@bücher.example', 'ops@xn--bcher-kva.example', 'xn--bcher-kva.example'],
    [`${'a'.repeat(64)}@example.org`, `${'a'.repeat(64)}@example.org`, 'example.org'],
  ])('%j is accepted', (text, address, domain) => {
    expect(parseMailAddress(text)).toEqual({ address, domain });
  });

  test('gets the recorded answers', () => {
    const answer = (text: string) => {
      const address = parseMailAddress(text)?.address ?? 'none';
      return address === text ? 'as written' : address;
    };
    const texts = [
      ...['', ...words(`ops ops@ @example.org ops@localhost ops@example.org. ops@[192.0.2.1] ops@192.0.2.1`)],
      ...listed(`"o ps"@example.org | Ops <ops@example.org> | a@example.org,b@example.org | a@b@example.org
      ops(x)@example.org`),
      // A header field before or behind it must not get into a message.
      ...listed(
        `ops@example.org\r\nBcc: all@example.org | x\r\nBcc: all@example.org | ops\0@example.org | ops@a_b.org`,
      ),
      ...[63, 64, 65].map((length) => `${'a'.repeat(length)}@example.org`),
      ...[188, 189, 190].map((length) => `${'a'.repeat(64)}@${'b.'.repeat(90)}${'c'.repeat(length - 180)}`),
    ];
    expect(byAnswer(asWritten(texts), answer)).toMatchSnapshot();
    expect(byPlace("o'b.c@ex.org", ['.', '@', ' ', '"', 'ö', '_', '-', ',', '!'], answer)).toMatchSnapshot(
      'by place',
    );
    const domains = ['a@b', 'a', '@b', 'a@', 'a@b@c', '', '@'];
    expect(
      byAnswer(asWritten(domains), (text) => `${localPartOf(text)} at ${domainOf(text)}`),
    ).toMatchSnapshot('parts');
  });
});
