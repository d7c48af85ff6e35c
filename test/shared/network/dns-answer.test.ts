import { expect, test } from '@jest/globals';
import { resolve } from '../../../shared/network/dns-answer.ts';

const record = (name: string, type: string, rdata: Uint8Array) => ({ name, type, ttl: 60, rdata });

test('the most sets that a message of 64 KB can hold are read in milliseconds', async () => {
  const address = record('example.org', 'A', Uint8Array.of(192, 0, 2, 1));
  // A name that is compressed to two octets, ten octets of fixed fields, and no data.
  const tiny = Array.from({ length: 5_400 }, (_, at) =>
    record(`n${at}.example.org`, 'NSEC', Uint8Array.of()),
  );
  const message = {
    rcode: 'NOERROR',
    authoritative: true,
    recursive: true,
    answers: [address],
    authorities: tiny,
  };
  const started = process.threadCpuUsage();
  const { answer } = await resolve('example.org', 'A', true, async () => ({
    message,
    octets: 65_535,
    evidence: { milliseconds: 0 },
  }));
  const { user, system } = process.threadCpuUsage(started);
  expect(answer.status === 'found' && answer.sets.length).toBe(tiny.length + 1);
  expect((user + system) / 1000).toBeLessThan(100);
});

test('a positive answer keeps no SOA record as evidence, though it begins with an alias', async () => {
  const address = record('www.example.org', 'A', Uint8Array.of(192, 0, 2, 1));
  const alias = record('example.org', 'CNAME', Buffer.from('\x03www\x07example\x03org\x00', 'latin1'));
  const soa = record('example.org', 'SOA', new Uint8Array(22));
  const message = {
    ...{ rcode: 'NOERROR', authoritative: true, recursive: true },
    ...{ answers: [alias, address], authorities: [soa] },
  };
  const { answer } = await resolve('example.org', 'A', true, async () => ({
    ...{ message, octets: 100, evidence: { milliseconds: 0 } },
  }));
  expect(answer.status === 'found' && answer.sets.map(({ type }) => type)).toEqual(['CNAME', 'A']);
});

test('sets that nobody asked for are no evidence, wherever a server adds them', async () => {
  const message = {
    ...{ rcode: 'NOERROR', authoritative: true, recursive: true },
    answers: [
      record('example.org', 'A', Uint8Array.of(192, 0, 2, 1)),
      record('example.org', 'TXT', Uint8Array.of(1, 0x78)),
    ],
    authorities: [record('example.org', 'NS', Buffer.from('\x02ns\x07example\x03org\x00', 'latin1'))],
  };
  const { answer } = await resolve('example.org', 'A', true, async () => ({
    ...{ message, octets: 100, evidence: { milliseconds: 0 } },
  }));
  expect(answer.status === 'found' && answer.sets.map(({ type }) => type)).toEqual(['A']);
});
