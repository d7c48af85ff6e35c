/** Messages designed to cost time or memory, and a zone in which they pass SPF. */
import type { ReceivedMessage } from '../../shared/mail-test/analyse.ts';
import type { BlocklistRole } from '../../shared/mail-test/blocklist-zones.ts';
import { rsaKey, signed } from './dkim-signer.ts';
import { zone } from './zone.ts';

const MEGABYTE = 1024 * 1024;
const EDGE_ID = 'edge7p7b81';
const EDGE = `Return-Path: <a@example.org>\r\nReceived: from h (x [192.0.2.7]) by inbound-smtp.example with SMTP id ${EDGE_ID} for x; d\r\n`;
const FROM = 'From: a@example.org\r\n';

const key = rsaKey();
const dns = zone({
  's._domainkey.example.org': { TXT: [key.record] },
  '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject'] },
  'example.org': { TXT: ['v=spf1 ip4:192.0.2.7 -all'] },
});
const how = { domain: 'example.org', selector: 's', key, fields: ['from'] };

const sign = (body: string) => signed(`${FROM}\r\n${body}`, how);

/** An invalid signature with the given tags. */
const signature = (tags: string) =>
  `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.org; s=s; bh=AAAA; b=AAAA; ${tags}\r\n`;

const nested = (depth: number) =>
  Array.from(
    { length: depth },
    (_, level) => `--b${level}\r\nContent-Type: multipart/mixed; boundary=b${level + 1}\r\n\r\n`,
  ).join('');

/** Each is created only when it is needed, so that they are not all in memory at once. */
const CONTENTS: readonly (readonly [string, () => string])[] = [
  ['is empty', () => ''],
  ['has no header', () => '\r\nbody'],
  ['is one octet', () => 'x'],
  ['is signed and has a body of 20 MB', () => sign('A line of some text.\r\n'.repeat((20 * MEGABYTE) / 22))],
  ['is one line of 20 MB with a valid signature', () => sign('x'.repeat(20 * MEGABYTE))],
  ['is signed and is 20 MB of blanks', () => sign(' '.repeat(20 * MEGABYTE))],
  ['is signed and is 20 MB of empty lines', () => sign('\r\n'.repeat(10 * MEGABYTE))],
  ['is signed and is 20 MB of blank lines', () => sign(' \t\r\n'.repeat(5 * MEGABYTE))],
  ['is signed and is 20 MB of bare line feeds', () => sign('\n'.repeat(20 * MEGABYTE))],
  ['is signed and is 20 MB of carriage returns', () => sign('\r'.repeat(20 * MEGABYTE))],
  [
    'is 38 MB with a forged signature',
    () => `${signature('h=from')}${FROM}\r\n${'x \t'.repeat(13 * MEGABYTE)}`,
  ],
  ['has a header of 20 MB', () => `X: ${'y'.repeat(20 * MEGABYTE)}\r\n${FROM}\r\nbody`],
  ['has 10,000 fields', () => signed(`${'X-A: b\r\n'.repeat(10_000)}${FROM}\r\nbody`, how)],
  ['has 3,000,000 fields', () => `${FROM}${'X: y\r\n'.repeat(3_000_000)}\r\nbody`],
  ['has a field folded 100,000 times', () => `${FROM}Subject: a${'\r\n b'.repeat(100_000)}\r\n\r\nbody`],
  ['has 1,000 signatures', () => `${signature('h=from').repeat(1000)}${FROM}\r\nbody`],
  [
    'has 1,000 signatures with different body hashes',
    () =>
      `${Array.from({ length: 1000 }, (_, n) => signature(`h=from; l=${n}`)).join('')}${FROM}\r\n${'x\r\n'.repeat(3 * MEGABYTE)}`,
  ],
  [
    'has a signature that signs 100,000 fields',
    () => `${signature(`h=from${':x-a'.repeat(100_000)}`)}${FROM}\r\nbody`,
  ],
  [
    'has 20 signatures that sign all of 20,000 fields',
    () =>
      `${signature(`h=from${':x-a'.repeat(199)}`).repeat(20)}${'X-A: b\r\n'.repeat(20_000)}${FROM}\r\nbody`,
  ],
  [
    'has 20 signatures of 20 domains with many labels',
    () =>
      `${Array.from({ length: 20 }, (_, n) => signature('h=from').replaceAll('example.org', `${'a.'.repeat(100)}x${n}.example`)).join('')}${FROM}\r\nbody`,
  ],
  ['has a signature without tags', () => `DKIM-Signature: ${';'.repeat(10_000)}\r\n${FROM}\r\nbody`],
  [
    'has 50 ARC sets that sign every field',
    () =>
      `${Array.from({ length: 50 }, (_, n) => `ARC-Seal: i=${n + 1}; cv=none; a=rsa-sha256; d=example.org; s=s; b=A\r\nARC-Message-Signature: i=${n + 1}; a=rsa-sha256; d=example.org; s=s; h=${'x:'.repeat(2000)}from; bh=A; b=A\r\nARC-Authentication-Results: i=${n + 1}; x\r\n`).join('')}${sign('body')}`,
  ],
  ['has a From field of 400 KB', () => `${signature('h=from')}From: ${'g:'.repeat(200_000)}\r\n\r\nbody`],
  ['has 1,000 From fields', () => signed(`${FROM.repeat(1000)}\r\nbody`, how)],
  ['is nested 10,000 deep', () => `Content-Type: multipart/mixed; boundary=b0\r\n${sign(nested(10_000))}`],
  [
    'has a boundary of 100 KB',
    () =>
      `Content-Type: multipart/mixed; boundary="${'b'.repeat(100_000)}"\r\n${sign(`--${'b'.repeat(100_000)}`.repeat(50))}`,
  ],
  [
    'contains NUL octets everywhere',
    () =>
      `${signature('h=from')}From: a\0@example.org\0\r\nSubject: \0\r\nDate: \0\r\n\r\n${'\0'.repeat(MEGABYTE)}`,
  ],
  ['contains endless encoded words', () => `${FROM}Subject: ${'=?utf-8?q?'.repeat(40_000)}\r\n\r\nbody`],
  [
    'contains encoded words with unusual character sets',
    () => `${FROM}Subject: =?x?q?a?= =?utf-7?b?++++?= =?utf-8?b?////?=\r\n\r\nbody`,
  ],
  ['has an invalid date', () => `${FROM}Date: ${'('.repeat(200)}99 Foo 99999 99:99:99 +9999\r\n\r\nbody`],
  ['has a Message-ID of 100 KB', () => `${FROM}Message-ID: <${'x'.repeat(100_000)}@example.org>\r\n\r\nbody`],
  [
    'has 10,000 forged Received lines',
    () => `${'Received: from a by b with c id d for e; f\r\n'.repeat(10_000)}${FROM}\r\nbody`,
  ],
  ['has a Received line of 100 KB', () => `Received: from ${'by '.repeat(30_000)}; x\r\n${FROM}\r\nbody`],
  [
    'contains markup everywhere',
    () => `From: "<script>alert(1)</script>" <a@example.org>\r\nSubject: </title><script>\r\n\r\n<script>`,
  ],
  [
    'is signed and has a line of 450 KB of blanks that is not a field',
    () => `x${' '.repeat(450_000)}y\r\n${sign('body')}`,
  ],
  [
    'signs a field of 450 KB of blanks',
    () => `${signature('h=from:x-a')}X-A: a${' '.repeat(450_000)}b\r\n${FROM}\r\nbody`,
  ],
  [
    'signs a field of 150 KB of wide blanks',
    () => `${signature('h=from:x-a')}X-A: a${'\xe3\x80\x80'.repeat(150_000)}b\r\n${FROM}\r\nbody`,
  ],
  [
    'signs a field full of runs of 990 blanks',
    () => `${signature('h=from:x-a')}X-A: ${`a${' '.repeat(990)}`.repeat(450)}b\r\n${FROM}\r\nbody`,
  ],
  [
    'signs a field that is folded 100,000 times',
    () => `${signature('h=from:x-a')}X-A: a${'\r\n b'.repeat(100_000)}\r\n${FROM}\r\nbody`,
  ],
  [
    'has 20 signatures full of blanks',
    () => `${signature(`h=from; z=${`a${' '.repeat(990)}`.repeat(15)}b`).repeat(20)}${FROM}\r\nbody`,
  ],
  [
    'is signed and has a Content-Type of 450 KB',
    () => `Content-Type: multipart/mixed; ${'a=b; '.repeat(90_000)}\r\n${sign('body')}`,
  ],
];

/** Titles say what is hostile about a message. */
export const hostileMails: readonly (readonly [string, () => Uint8Array])[] = CONTENTS.map(([what, make]) => [
  what,
  () => Buffer.from(`${EDGE}${make()}`, 'latin1'),
]);

/** The message with the lines that the edge puts on top. */
export const edged = (message: Uint8Array): Uint8Array => Buffer.concat([Buffer.from(EDGE), message]);

/** A message as the edge announces it. */
export const received = (message: Uint8Array): ReceivedMessage => ({
  message,
  edgeId: EDGE_ID,
  receivedAt: new Date('2026-01-01T10:00:00Z'),
});

export const hostileWorld = {
  dns,
  blocklists: new Map<BlocklistRole, string>([['combined', 'list.example']]),
};
