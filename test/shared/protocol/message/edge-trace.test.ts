import { describe, expect, test } from '@jest/globals';
import { readEdgeTrace } from '../../../../shared/protocol/message/edge-trace.ts';

const ID = 'tason4r14kcbi9pvradsrianmd9fj3s1647p7b81';
const received = (from: string, id = ID) =>
  `Received: from ${from}\r\n by inbound-smtp.eu-west-1.amazonaws.com with SMTP id ${id}\r\n for m@reports.test;\r\n Fri, 11 Jul 2025 13:56:07 +0000 (UTC)`;
const read = (...lines: string[]) => readEdgeTrace(Buffer.from([...lines, '', 'body'].join('\r\n')), ID);

describe('the lines of our edge', () => {
  test.each([
    ['as SES writes them', 'mx.a.test (host.a.test [192.0.2.7])', 'mx.a.test', '192.0.2.7'],
    ['without a name', 'mx.a.test (unknown [192.0.2.7])', 'mx.a.test', '192.0.2.7'],
    ['with broken parentheses', 'mx.a.test [192.0.2.7])', 'mx.a.test', '192.0.2.7'],
    ['with an address literal', '[192.0.2.7] (host.a.test [192.0.2.7])', '[192.0.2.7]', '192.0.2.7'],
    ['of IPv6', 'mx.a.test (unknown [IPv6:2001:db8::7])', 'mx.a.test', '2001:db8::7'],
  ])('are read %s', (_how, from, helo, ip) => {
    expect(read('Return-Path: <a@a.test>', received(from))).toEqual({ mailFrom: 'a@a.test', helo, ip });
  });

  test('have an empty reverse-path for a bounce', () => {
    expect(read('Return-Path: <>', received('mx.a.test (x [192.0.2.7])'))?.mailFrom).toBe('');
  });

  const good = received('mx.a.test (x [192.0.2.7])');
  test.each([
    [
      'have another id: the sender wrote them',
      ['Return-Path: <a@a.test>', received('mx.a.test (x [192.0.2.7])', 'other')],
    ],
    [
      'stand below another Received line',
      ['Return-Path: <a@a.test>', 'Received: from a by b with SMTP id c for d; now', good],
    ],
    ['name another edge', ['Return-Path: <a@a.test>', good.replace('inbound-smtp.', 'inbound-smtpx')]],
    ['have no Return-Path above', [good, 'Return-Path: <a@a.test>']],
    ['are not there', ['Subject: x']],
    ['stand in the body', ['', 'Return-Path: <a@a.test>', good]],
    ['do not end', ['Return-Path: <a@a.test>', `Received: from ${'x'.repeat(40_000)}`]],
  ])('are not read where they %s', (_why, lines) => {
    expect(read(...lines)).toBeUndefined();
  });
});
