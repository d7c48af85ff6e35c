import { describe, expect, test } from '@jest/globals';
import { readHeaderSection } from '../../../shared/mail-test/header-section.ts';
import { readEdge, readHops } from '../../../shared/mail-test/received.ts';

const ID = 'tason4r14kcbi9pvradsrianmd9fj3s1647p7b81';
const section = (...lines: string[]) => readHeaderSection(Buffer.from(`${lines.join('\r\n')}\r\n\r\nbody`));

const edgeLine = (client: string, { protocol = 'SMTP', id = ID } = {}) =>
  `Received: from ${client}\r\n by inbound-smtp.us-east-2.amazonaws.com with ${protocol} id ${id}\r\n for rcpt@example.com;\r\n Fri, 11 Jul 2025 13:56:07 +0000 (UTC)`;

describe('The line of our own edge', () => {
  test.each([
    [
      'as Amazon SES writes it',
      'mail.example.org (host.example.net [192.0.2.7])',
      '192.0.2.7',
      'mail.example.org',
    ],
    ['without a reverse name', 'mail.example.org (unknown [192.0.2.7])', '192.0.2.7', 'mail.example.org'],
    ['with broken parentheses', 'smtp.example.com [203.0.113.0])', '203.0.113.0', 'smtp.example.com'],
    ['with an IPv6 address', 'mail (mail.example [2001:DB8::0:1])', '2001:db8::1', 'mail'],
    ['with an address of SMTP form', 'mail (mail.example [IPv6:2001:db8::1])', '2001:db8::1', 'mail'],
    ['with an IPv4 address in IPv6', 'mail (unknown [::ffff:192.0.2.7])', '192.0.2.7', 'mail'],
    [
      'of a client that is called by its address',
      '[192.0.2.9] (unknown [192.0.2.7])',
      '192.0.2.7',
      '[192.0.2.9]',
    ],
    ['whose HELO imitates one', 'x([198.51.100.9]) (unknown [192.0.2.7])', '192.0.2.7', 'x([198.51.100.9])'],
    ['whose HELO says by', 'by (unknown [192.0.2.7])', '192.0.2.7', 'by'],
  ])('is read %s', (_what, client, ip, helo) => {
    const edge = readEdge(
      section('Return-Path: <a@example.org>', edgeLine(client), 'From: a@example.org'),
      ID,
    );
    expect(edge).toEqual({ mailFrom: 'a@example.org', ip, helo, encrypted: null });
  });

  test.each([
    ['ESMTPS', true],
    ['ESMTPSA', true],
    ['ESMTP', false],
    ['SMTP', null],
  ])('with %s says of encryption: %p', (protocol, encrypted) => {
    expect(readEdge(section(edgeLine('h (u [192.0.2.7])', { protocol })), ID).encrypted).toBe(encrypted);
  });

  test.each([
    ['there is none', ['From: a@example.org']],
    ['its id is another', [edgeLine('mail (x [192.0.2.7])', { id: 'forged' })]],
    ['it is not the topmost', ['Received: from x by y', edgeLine('mail (x [192.0.2.7])')]],
    ['it has no address', [edgeLine('mail (x)')]],
    ['its address is none', [edgeLine('mail (x [999.0.2.7])')]],
    ['it is as long as no line is', [edgeLine(`${'x'.repeat(5000)} (x [192.0.2.7])`)]],
  ])('tells nothing where %s', (_what, lines) => {
    expect(readEdge(section(...lines), ID)).toMatchObject({ ip: null, helo: null, encrypted: null });
  });

  test('is believed about the reverse-path only above it', () => {
    const below = section(edgeLine('mail (x [192.0.2.7])'), 'Return-Path: <forged@example.org>');
    expect(readEdge(below, ID).mailFrom).toBe('');
    expect(readEdge(section('Return-Path: <>', edgeLine('mail (x [192.0.2.7])')), ID).mailFrom).toBe('');
  });
});

describe('The way of a message', () => {
  test('is read from all Received lines, the last host first', () => {
    const hops = readHops(
      section(
        edgeLine('mail.example.org (x [192.0.2.7])'),
        'Received: by mail.example.org with HTTP; Fri, 11 Jul 2025',
      ),
    );
    expect(hops).toEqual([
      {
        from: 'mail.example.org (x [192.0.2.7])',
        by: 'inbound-smtp.us-east-2.amazonaws.com',
        protocol: 'SMTP',
        date: 'Fri, 11 Jul 2025 13:56:07 +0000 (UTC)',
      },
      { from: null, by: 'mail.example.org', protocol: 'HTTP', date: 'Fri, 11 Jul 2025' },
    ]);
  });

  test('is cut after thirty hosts', () => {
    expect(readHops(section(...Array.from({ length: 100 }, () => 'Received: by x; y')))).toHaveLength(30);
  });
});
