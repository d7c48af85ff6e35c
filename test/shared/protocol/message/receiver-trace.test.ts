import { describe, expect, test } from '@jest/globals';
import { readHeaderSection } from '../../../../shared/protocol/message/header-section.ts';
import { readReceiverTrace, readRecipient } from '../../../../shared/protocol/message/receiver-trace.ts';
import { byAnswer, listed, type Named, printed, words } from '../../../kit/answers.ts';

const ID = 'tason4r14kcbi9pvradsrianmd9fj3s1647p7b81';
const received = (client: string, { protocol = 'SMTP', id = ID } = {}) =>
  `Received: from ${client}\r\n by inbound-smtp.us-east-2.amazonaws.com with ${protocol} id ${id}\r\n for rcpt@example.com;\r\n Fri, 11 Jul 2025 13:56:07 +0000 (UTC)`;
const PATH = 'Return-Path: <a@example.org>';

describe('the trace lines of our edge', () => {
  test('are read as recorded', () => {
    const answer = (lines: readonly string[]) => {
      const section = readHeaderSection(Buffer.from([...lines, '', 'body'].join('\r\n')));
      const trace = readReceiverTrace(section, ID);
      return `${trace === undefined ? 'none' : Object.values(trace).map(String).join(' ')}; for ${readRecipient(section, ID)}`;
    };
    const clients =
      listed(`mail.example.org (host.example.net [192.0.2.7]) | mail.example.org (unknown [192.0.2.7]) | smtp.example.com [203.0.113.0])
      mail (mail.example [2001:DB8::0:1]) | mail (mail.example [IPv6:2001:db8::1]) | mail (unknown [::ffff:192.0.2.7]) | by (unknown [192.0.2.7])
      [192.0.2.9] (unknown [192.0.2.7]) | x([198.51.100.9]) (unknown [192.0.2.7]) | (unknown [192.0.2.7]) | mail (x) | mail (x [999.0.2.7])
      x by inbound-smtp.evil with SMTP id ${ID} (u [192.0.2.7]) | mail (x [1]) | x with ESMTPS (u [192.0.2.7]) | mail (x [${'0'.repeat(46)}])`);
    const named = clients.map((client): Named<readonly string[]> => [client, [PATH, received(client)]]);
    expect(byAnswer(named, answer)).toMatchSnapshot();
    const protocols = words(
      'SMTP ESMTP ESMTPS ESMTPSA SMTPS UTF8SMTP UTF8SMTPS UTF8ESMTPSA esmtps ESMTPA LMTP',
    );
    const by = protocols.map(
      (protocol): Named<readonly string[]> => [protocol, [PATH, received('h (u [192.0.2.7])', { protocol })]],
    );
    expect(byAnswer(by, answer)).toMatchSnapshot('protocols');
    const line = received('h (u [192.0.2.7])');
    const others: readonly Named<readonly string[]>[] = [
      ...['<>', '', '<a@b.c', 'a@b.c>', 'a@b.c', `<${'x'.repeat(511)}y>`, `<${'x'.repeat(512)}y>`].map(
        (path): Named<readonly string[]> => [`path ${printed(path)}`, [`Return-Path: ${path}`, line]],
      ),
      [
        'the local listener',
        [PATH, line.replace('inbound-smtp.us-east-2.amazonaws.com', 'inbound-smtp.localhost')],
      ],
      ['another id', [PATH, received('h (u [192.0.2.7])', { id: 'forged' })]],
      ['below another Received line', [PATH, 'Received: from a by b with SMTP id c for d; now', line]],
      ['another edge', [PATH, line.replace('inbound-smtp.', 'inbound-smtpx')]],
      ['Return-Path below', [line, PATH]],
      ['two paths', ['Return-Path: <x@y.z>', PATH, line]],
      ['no client', [PATH, line.replace('from ', '')]],
      ['without recipient', [PATH, line.replace(' for rcpt@example.com', '')]],
      ['recipient in brackets', [PATH, line.replace('rcpt@example.com', '<rcpt@example.com>')]],
      ['in the body', ['', PATH, line]],
      ['nothing', ['Subject: x']],
      ...[-1, 0, 1].map((more): Named<readonly string[]> => {
        const whole = readHeaderSection(Buffer.from(`${line}\r\n\r\n`)).fields[0]?.value.length ?? 0;
        return [
          `${4000 + more} characters`,
          [PATH, received(`h${'x'.repeat(4000 + more - whole)} (u [192.0.2.7])`)],
        ];
      }),
      ['unterminated', [PATH, `Received: from ${'x'.repeat(40_000)}`]],
    ];
    expect(byAnswer(others, answer)).toMatchSnapshot('other lines');
  });

  test('are not parsed if no id is known', () => {
    const section = readHeaderSection(
      Buffer.from(`${PATH}\r\n${received('h (u [192.0.2.7])', { id: '' })}\r\n`),
    );
    expect(readReceiverTrace(section, '')).toBeUndefined();
  });
});
