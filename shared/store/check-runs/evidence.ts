/**
 * Evidence of check runs: what they asked, what they were answered, and what they found. A run that changed nothing stores none, so
 * the evidence of a time is the latest one until then. Certificates are items of their own, because runs have most in common.
 */

import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import * as z from 'zod/mini';
import type { RecordedRun } from '../../checks/recording/record.ts';
import { type Certificates, MAX_RECORDING_CHARACTERS, recording } from '../../checks/recording/recorded.ts';
import { type CheckResults, storedResults } from '../../checks/results.ts';
import { type UsageType, usageType } from '../../checks/state.ts';
import { list, text, timestamp } from '../../protocol/schema.ts';
import { updateAt } from '../changes.ts';
import { octets, packed } from '../item-schema.ts';
import { evidenceCertificateKey, evidenceKey, evidenceOf, type Key } from '../keys.ts';
import { between } from '../query.ts';
import { expiryOf } from '../retention.ts';
import type { Table, Write } from '../table.ts';

const evidenceItem = z.object({
  /** When the check run started. */
  at: timestamp,
  /** The release of the service that ran the checks. */
  release: text,
  usageType,
  certificates: list(text),
  content: packed(
    z.object({
      results: storedResults,
      /** Absent if it was too large to be stored. */
      recording: z.exactOptional(recording),
    }),
    brotliDecompressSync,
  ),
});

const certificateItem = z.object({ der: octets });

/** Where the evidence of the latest results is, and the certificates that it names. */
export const evidenceReference = z.object({ at: timestamp, certificates: list(text) });

export type EvidenceReference = Readonly<z.infer<typeof evidenceReference>>;

export type StoredEvidence = Readonly<z.infer<typeof evidenceItem>>;

/** Evidence to store. */
export interface NewEvidence {
  readonly at: string;
  readonly release: string;
  readonly usageType: UsageType;
  readonly results: CheckResults;
  readonly run: RecordedRun;
}

/** An item holds at most 400 KB (DynamoDB's limit). */
const MAX_OCTETS = 350_000;

export type EvidenceStore = ReturnType<typeof evidenceStore>;

export function evidenceStore(table: Table, { retentionDays }: { retentionDays: number }) {
  return {
    /**
     * The writes of new evidence, for the transaction that stores the check run. What it replaces was the state of the domain until
     * now, so it expires from now on; the latest one does not. What is too large is stored without its answers.
     * @param former The evidence of the latest results until now.
     * @param room How many writes it may have, at least two. Certificates that no evidence names any more expire as far as it goes.
     */
    writesOf(
      domainId: string,
      { at, release, usageType, results, run }: NewEvidence,
      former: EvidenceReference | undefined,
      room: number,
    ): { readonly reference: EvidenceReference | undefined; readonly writes: readonly Write[] } {
      const known = former?.certificates ?? [];
      const isNew = (hash: string): boolean => !known.includes(hash);
      const fits = [...run.certificates.keys()].filter(isNew).length <= room - 2;
      const whole = fits ? compress({ results, recording: run.recording }) : undefined;
      const content = whole ?? compress({ results });
      if (content === undefined) return { reference: former, writes: [] };
      const named: Certificates = whole === undefined ? new Map() : run.certificates;
      const certificates = [...named.keys()];
      const added = [...named].filter(([hash]) => isNew(hash));
      const expired = [
        ...(former === undefined || former.at === at ? [] : [evidenceKey(domainId, former.at)]),
        ...known.filter((hash) => !named.has(hash)).map((hash) => evidenceCertificateKey(domainId, hash)),
      ];
      const expiresAt = expiryOf(at.slice(0, 10), retentionDays);
      const stored = [
        { Put: { Item: { ...evidenceKey(domainId, at), at, release, usageType, certificates, content } } },
        ...added.map(([hash, der]) => ({
          Put: { Item: { ...evidenceCertificateKey(domainId, hash), der } },
        })),
      ];
      const ends = expiresAt === undefined ? [] : expired.map((key) => expiring(key, expiresAt));
      return { reference: { at, certificates }, writes: [...stored, ...ends.slice(0, room - stored.length)] };
    },

    /** How a domain stood at a time (ISO 8601), as far as it is kept; by default, how it stands. */
    async at(domainId: string, time: string | undefined, now: Date): Promise<StoredEvidence | undefined> {
      const { pk, prefix } = evidenceOf(domainId);
      const until = between(pk, prefix, `${prefix}${time ?? now.toISOString()}`);
      const query = { ...until, ScanIndexForward: false, ConsistentRead: true };
      const [latest] = await table.query(query, evidenceItem, { most: 1, aliveAt: now });
      return latest;
    },

    /** The certificates that evidence names. @throws Error if one is missing. */
    async certificates(domainId: string, hashes: readonly string[]): Promise<Certificates> {
      const reads = hashes.map((hash) => ({
        key: evidenceCertificateKey(domainId, hash),
        schema: certificateItem,
      }));
      const found = await table.getMany(reads);
      return new Map(
        reads.map((read, index) => {
          const item = found.of(read);
          if (item === undefined) throw new Error(`the certificate ${hashes[index]} of evidence is missing`);
          return [hashes[index] ?? '', item.der];
        }),
      );
    },
  };
}

/** What is smaller is compressed as well as possible, a tenth better than by `pack`: it takes 0.1 s. */
const WELL_COMPRESSED = 100_000;

/** Undefined if it is too large. A check run is not to wait long for what a hostile domain publishes. */
function compress(content: Readonly<Record<string, unknown>>): Buffer | undefined {
  const text = JSON.stringify(content);
  if (text.length > MAX_RECORDING_CHARACTERS) return undefined;
  const quality = text.length > WELL_COMPRESSED ? FAST : constants.BROTLI_DEFAULT_QUALITY;
  const compressed = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
  return compressed.length > MAX_OCTETS ? undefined : compressed;
}

const FAST = 5;

const expiring = (key: Key, expiresAt: number): Write => ({ Update: updateAt(key, { expiresAt }) });
