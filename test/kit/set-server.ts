/** A server on loopback that answers for all zones with the record sets that a test made. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { decode } from 'dns-packet';
import { type RecordSet, type RrsigRecord, recordTypeNumbers } from '../../shared/protocol/dns.ts';
import { nameToWire } from '../../shared/protocol/dnssec/canonical.ts';

export interface WireAnswer {
  readonly rcode: 'NOERROR' | 'NXDOMAIN' | 'SERVFAIL';
  readonly answers: readonly RecordSet[];
  readonly authorities: readonly RecordSet[];
}

/** What a validator on this machine says about an answer. */
export type Verdict = 'secure' | 'insecure' | 'bogus';

export type AnswerWith = (name: string, type: string) => Promise<WireAnswer>;

const rcodes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3 };

/** Starts the server. Names are in lower case without the final dot. */
export async function startSetServer(answer: AnswerWith): Promise<{ port: number; stop(): void }> {
  const server = createSocket('udp4');
  server.on('message', async (query, { port: from, address }) => {
    const [question] = decode(query).questions ?? [];
    if (question === undefined) return;
    const name = question.name === '.' ? '' : question.name.toLowerCase();
    const reply = await answer(name, question.type);
    server.send(encodeAnswer(query, name, reply), from, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, stop: () => server.close() };
}

function encodeAnswer(query: Buffer, name: string, { rcode, answers, authorities }: WireAnswer): Buffer {
  const question = query.subarray(12, 12 + (nameToWire(name)?.length ?? 1) + 4);
  const sections = [answers, authorities].map((sets) => sets.flatMap(recordsOf));
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8580 | rcodes[rcode], 2);
  header.writeUInt16BE(1, 4);
  for (const [at, records] of sections.entries()) header.writeUInt16BE(records.length, 6 + 2 * at);
  header.writeUInt16BE(1, 10);
  const options = Buffer.from('0000291000000080000000', 'hex');
  return Buffer.concat([header, question, ...sections.flat(), options]);
}

function recordsOf({ name, type, ttl, rdata, signatures }: RecordSet): Buffer[] {
  return [
    ...rdata.map((octets) => record(name, recordTypeNumbers[type] ?? 0, ttl, octets)),
    ...signatures.map((it) => record(name, recordTypeNumbers.RRSIG ?? 0, ttl, rrsigRdata(it))),
  ];
}

function record(name: string, type: number, ttl: number, rdata: Uint8Array): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(rdata.length, 8);
  return Buffer.concat([nameToWire(name) ?? Buffer.of(0), fixed, rdata]);
}

function rrsigRdata(it: RrsigRecord): Buffer {
  const fixed = Buffer.alloc(18);
  fixed.writeUInt16BE(recordTypeNumbers[it.typeCovered] ?? 0, 0);
  fixed.writeUInt8(it.algorithm, 2);
  fixed.writeUInt8(it.labels, 3);
  fixed.writeUInt32BE(it.originalTtl, 4);
  fixed.writeUInt32BE(it.expiration >>> 0, 8);
  fixed.writeUInt32BE(it.inception >>> 0, 12);
  fixed.writeUInt16BE(it.keyTag, 16);
  return Buffer.concat([fixed, nameToWire(it.signerName) ?? Buffer.of(0), it.signature]);
}
