import { describe, expect, test } from '@jest/globals';
import { IA5String, OctetString } from 'asn1js';
import { readDer, readObjectIdentifier } from '../../../../shared/protocol/bimi/der.ts';
import { readLogotype } from '../../../../shared/protocol/bimi/logotype.ts';
import { byAnswer, byOctet, type Named, words } from '../../../kit/answers.ts';
import { extension, oid, sequence, tagged } from '../../../kit/x509.ts';

const octets = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const named = (texts: readonly string[]): readonly Named<string>[] => texts.map((text) => [text, text]);

describe('recorded answers', () => {
  test('to elements of DER', () => {
    const answer = (bytes: Uint8Array) => {
      const elements = readDer(bytes);
      if (elements === undefined) return 'no DER';
      return elements
        .map(({ tag, content }) => `${tag.toString(16)}:${Buffer.from(content).toString('hex')}`)
        .join(' ');
    };
    const texts = words(
      '00 02 0201 020105 0500 05000500 0203050607 1e00 1f00 3f00 3e00 0480 048000 048100 04810155 0482000155 0483 048300000155',
    );
    texts.push(
      '04840000000155',
      '0485000000000155',
      '0484ffffffff55',
      '047f',
      '0481',
      `047f${'ab'.repeat(127)}`,
      `048180${'ab'.repeat(128)}`,
    );
    texts.push(`04820100${'ab'.repeat(256)}`, `04820100${'ab'.repeat(255)}`, `04820100${'ab'.repeat(257)}`);
    expect(byAnswer(named(['', ...texts]), (text) => answer(octets(text)))).toMatchSnapshot();
    expect(byOctet(octets('300602010504015504820001aa'), answer)).toMatchSnapshot('by octet');
  });

  test('to object identifiers', () => {
    const texts = words(
      '00 27 28 4f 50 77 78 7f 8101 8837 2a864886f70d 2a 2a80 ff 8180 2b06010505070 2b0601050507010c'.replace(
        '070 ',
        '07 ',
      ),
    );
    expect(byAnswer(named(['', ...texts]), (text) => readObjectIdentifier(octets(text)))).toMatchSnapshot();
  });

  const LOGOTYPE = '1.3.6.1.5.5.7.1.12';
  const SHA256 = '2.16.840.1.101.3.4.2.1';
  const digestOf = (algorithm: string) =>
    sequence(sequence(oid(algorithm)), new OctetString({ valueHex: Uint8Array.of(1, 2) }));
  const image = (...algorithms: readonly string[]) =>
    sequence(
      new IA5String({ value: 'image/x' }),
      sequence(...algorithms.map(digestOf)),
      sequence(new IA5String({ value: 'data:a' }), new IA5String({ value: 'data:b' })),
    );
  type Part = ReturnType<typeof sequence>;
  /** What a certificate has of interest: the first element holds the extensions. */
  const certificate = (...extensions: readonly Part[]) =>
    new Uint8Array(sequence(sequence(oid('1.2.3'), tagged(3, sequence(...extensions))), oid('1.2')).toBER());
  const logo = (part: Part) => extension(LOGOTYPE, sequence(tagged(2, tagged(0, part))));
  const answer = (bytes: Uint8Array) => {
    const logotype = readLogotype(bytes);
    if (logotype === undefined) return 'no logo';
    const digests = logotype.digests.map(({ algorithm, value }) => `${algorithm}:${value.length}`);
    return [logotype.mediaType.length, digests.join() || 'no digest', logotype.uri.length].join(' ');
  };

  test('to logos in certificates', () => {
    const sha = ['1.3.14.3.2.26', SHA256, '2.16.840.1.101.3.4.2.2', '2.16.840.1.101.3.4.2.3', '1.2.3'];
    const certificates: readonly Named<Uint8Array>[] = [
      ['one digest', certificate(logo(sequence(sequence(image(SHA256)))))],
      ['each digest', certificate(logo(sequence(sequence(image(...sha)))))],
      ['eight digests', certificate(logo(sequence(sequence(image(...Array<string>(8).fill(SHA256))))))],
      ['nine digests', certificate(logo(sequence(sequence(image(...Array<string>(9).fill(SHA256))))))],
      ['two images', certificate(logo(sequence(sequence(image(SHA256)), sequence(image('1.2')))))],
      ['no image', certificate(logo(sequence()))],
      ['an empty image', certificate(logo(sequence(sequence(sequence()))))],
      ['no address', certificate(logo(sequence(sequence(sequence(new IA5String({ value: 'x' }))))))],
      [
        'behind another extension',
        certificate(extension('1.2', sequence()), logo(sequence(sequence(image(SHA256))))),
      ],
      [
        'critical',
        certificate(
          extension(LOGOTYPE, sequence(tagged(2, tagged(0, sequence(sequence(image()))))), {
            isCritical: true,
          }),
        ),
      ],
      [
        'other extension',
        certificate(extension('1.2', sequence(tagged(2, tagged(0, sequence(sequence(image(SHA256)))))))),
      ],
      [
        'community logo',
        certificate(extension(LOGOTYPE, sequence(tagged(0, tagged(0, sequence(sequence(image(SHA256)))))))),
      ],
      [
        'indirect',
        certificate(extension(LOGOTYPE, sequence(tagged(2, tagged(1, sequence(sequence(image(SHA256)))))))),
      ],
      ['no extension', certificate()],
      ['nothing', new Uint8Array()],
    ];
    expect(byAnswer(certificates, answer)).toMatchSnapshot();
    expect(byOctet(certificate(logo(sequence(sequence(image(SHA256))))), answer)).toMatchSnapshot('by octet');
  });
});
