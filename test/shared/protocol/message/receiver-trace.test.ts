import { describe, expect, test } from '@jest/globals';
import { readHeaderSection } from '../../../../shared/protocol/message/header-section.ts';
import { readReceiverTrace } from '../../../../shared/protocol/message/receiver-trace.ts';

const ID = 'tason4r14kcbi9pvradsrianmd9fj3s1647p7b81';
const received = (client: string, { protocol = 'SMTP', id = ID } = {}) =>
  `Received: from ${client}\r\n by inbound-smtp.us-east-2.amazonaws.com with ${protocol} id ${id}\r\n for rcpt@example.com;\r\n Fri, 11 Jul 2025 13:56:07 +0000 (UTC)`;
const PATH = 'Return-Path: <a@example.org>';
const read = (...lines: string[]) =>
  readReceiverTrace(readHeaderSection(Buffer.from([...lines, '', 'body'].join('\r\n'))), ID);

describe('the trace lines of our edge', () => {
  test.each([
    [
      'as written by Amazon SES',
      'mail.example.org (host.example.net [192.0.2.7])',
      '192.0.2.7',
      'mail.example.org',
    ],
    ['without a reverse name', 'mail.example.org (unknown [192.0.2.7])', '192.0.2.7', 'mail.example.org'],
    ['with broken parentheses', 'smtp.example.com [203.0.113.0])', '203.0.113.0', 'smtp.example.com'],
    ['with an IPv6 address', 'mail (mail.example [2001:DB8::0:1])', '2001:db8::1', 'mail'],
    ['with an IPv6 address in SMTP form', 'mail (mail.example [IPv6:2001:db8::1])', '2001:db8::1', 'mail'],
    ['with an IPv4-mapped IPv6 address', 'mail (unknown [::ffff:192.0.2.7])', '192.0.2.7', 'mail'],
    ['for a client named by its address', '[192.0.2.9] (unknown [192.0.2.7])', '192.0.2.7', '[192.0.2.9]'],
    [
      'with a HELO that imitates an address',
      'x([198.51.100.9]) (unknown [192.0.2.7])',
      '192.0.2.7',
      'x([198.51.100.9])',
    ],
    ['with a HELO that contains "by"', 'by (unknown [192.0.2.7])', '192.0.2.7', 'by'],
    ['for a client without a HELO name', '(unknown [192.0.2.7])', '192.0.2.7', ''],
  ])('are parsed %s', (_what, client, ip, helo) => {
    expect(read(PATH, received(client), 'From: a@example.org')).toEqual({
      mailFrom: 'a@example.org',
      ip,
      helo,
      encrypted: null,
    });
  });

  test('are parsed as written by the SMTP listener of the single-machine host', () => {
    const line = good.replace('inbound-smtp.us-east-2.amazonaws.com', 'inbound-smtp.localhost');
    expect(read(PATH, line)).toMatchObject({ ip: '192.0.2.7', helo: 'mx.a.test' });
  });

  test('have an empty reverse-path for a bounce', () => {
    expect(read('Return-Path: <>', received('mx.a.test (x [192.0.2.7])'))?.mailFrom).toBe('');
  });

  test.each([
    ['ESMTPS', true],
    ['ESMTPSA', true],
    ['ESMTP', false],
    ['SMTP', null],
  ])('with %s have this value for encryption: %p', (protocol, encrypted) => {
    expect(read(PATH, received('h (u [192.0.2.7])', { protocol }))?.encrypted).toBe(encrypted);
  });

  const good = received('mx.a.test (x [192.0.2.7])');
  test.each([
    ['have another id: the sender wrote them', [PATH, received('mail (x [192.0.2.7])', { id: 'forged' })]],
    ['are below another Received line', [PATH, 'Received: from a by b with SMTP id c for d; now', good]],
    ['name another edge', [PATH, good.replace('inbound-smtp.', 'inbound-smtpx')]],
    ['have no Return-Path above them', [good, PATH]],
    ['have no address', [PATH, received('mail (x)')]],
    ['have an invalid address', [PATH, received('mail (x [999.0.2.7])')]],
    ['exceed the line length limit', [PATH, received(`${'x'.repeat(5000)} (x [192.0.2.7])`)]],
    ['do not exist', ['Subject: x']],
    ['are in the body', ['', PATH, good]],
    ['are unterminated', [PATH, `Received: from ${'x'.repeat(40_000)}`]],
  ])('are not parsed if they %s', (_why, lines) => {
    expect(read(...lines)).toBeUndefined();
  });

  test('are not parsed if no id is known', () => {
    const section = readHeaderSection(
      Buffer.from(`${PATH}\r\n${received('h (u [192.0.2.7])', { id: '' })}\r\n`),
    );
    expect(readReceiverTrace(section, '')).toBeUndefined();
  });
});
