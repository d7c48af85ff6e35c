import { describe, expect, test } from '@jest/globals';
import { readHops } from '../../../shared/mail-test/hops.ts';
import { readHeaderSection } from '../../../shared/protocol/message/header-section.ts';

const hopsOf = (...lines: string[]) =>
  readHops(readHeaderSection(Buffer.from(`${lines.join('\r\n')}\r\n\r\nbody`)));

describe('the delivery path', () => {
  test('is read from all Received lines, the first hop first', () => {
    const hops = hopsOf(
      'Received: from mail.example.org (x [192.0.2.7])\r\n by inbound-smtp.us-east-2.amazonaws.com with SMTP id a\r\n for rcpt@example.com;\r\n Fri, 11 Jul 2025 13:56:07 +0000 (UTC)',
      'Received: by mail.example.org with HTTP; Fri, 11 Jul 2025',
    );
    expect(hops).toEqual([
      {
        from: 'mail.example.org (x [192.0.2.7])',
        by: 'inbound-smtp.us-east-2.amazonaws.com',
        protocol: 'SMTP',
        tls: null,
        date: 'Fri, 11 Jul 2025 13:56:07 +0000 (UTC)',
      },
      { from: null, by: 'mail.example.org', protocol: 'HTTP', tls: null, date: 'Fri, 11 Jul 2025' },
    ]);
  });

  test.each([
    [
      'Postfix',
      'from desk.example (unknown [192.0.2.1]) (using TLSv1.3 with cipher TLS_AES_256_GCM_SHA384 (256/256 bits)) (No client certificate requested) by mail.example (Postfix) with ESMTPS id 1; Sat, 21 Nov 2026 21:38:15 +0000 (UTC)',
      ['mail.example (Postfix)', 'ESMTPS', '1.3'],
    ],
    [
      'Exim',
      'from desk.example ([192.0.2.1]:4242) by mail.example with esmtps (TLS1.2) tls TLS_AES_256_GCM_SHA384 (Exim 4.96) (envelope-from <a@b>) id 1-2; x',
      ['mail.example', 'esmtps', '1.2'],
    ],
    [
      'Gmail',
      'from desk.example (desk.example. [192.0.2.1]) by mx.google.com with ESMTPS id 1 for <a@b> (version=TLS1_3 cipher=TLS_AES_128_GCM_SHA256 bits=128/128); x',
      ['mx.google.com', 'ESMTPS', '1.3'],
    ],
    [
      'Exchange',
      'from A (192.0.2.1) by B (192.0.2.2) with Microsoft SMTP Server (version=TLS1_2, cipher=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384) id 15.20.1; x',
      ['B (192.0.2.2)', 'Microsoft SMTP Server', '1.2'],
    ],
    ['a host without TLS', 'from A by B with ESMTP id 1; x', ['B', 'ESMTP', null]],
    ['an unknown program', 'from A (by (with x by C with TLS', [null, null, null]],
  ])('is read from a line written by %s', (_who, line, expected) => {
    const [hop] = hopsOf(`Received: ${line}`);
    expect([hop?.by, hop?.protocol, hop?.tls]).toEqual(expected);
  });

  test('is cut after thirty hosts', () => {
    expect(hopsOf(...Array.from({ length: 100 }, () => 'Received: by x; y'))).toHaveLength(30);
  });
});
