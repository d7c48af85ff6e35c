/**
 * Who runs the network of an address, from files in the MMDB format (MaxMind DB File Format Specification 2.0). The fields are
 * those of GeoLite2 and DB-IP (`autonomous_system_number`, `country.iso_code`) and of IPinfo (`asn`, `country_code`).
 */
import { Reader } from 'mmdb-lib';
import * as z from 'zod/mini';
import { ADDRESS_BITS, formatIp, type IpAddress } from './ip.ts';
import { dayAt } from './time.ts';

/** What the files say about an address; null where they say nothing. */
export interface AddressOwner {
  /** The number of the autonomous system that announces the address. */
  readonly asn: number | null;
  /** Who runs that system, in the words of the file. */
  readonly owner: string | null;
  /** ISO 3166-1, two capital letters. */
  readonly country: string | null;
}

/** A file: what it calls itself, and the day on which it was made, such as `2026-01-31`. */
export interface IpDataSource {
  readonly name: string;
  readonly day: string;
}

export interface IpData {
  readonly sources: readonly IpDataSource[];
  /** Undefined if no file says anything about the address. */
  ownerOf(address: string): AddressOwner | undefined;
}

/** A file without this is not MMDB, or was cut off. */
const METADATA_MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** Between the search tree and the data (section "Data Section"). */
const SEPARATOR_BYTES = 16;
const MAX_OWNER = 200;
/** How many networks of each family are read at the start. */
const READ_NETWORKS = 5000;
/** 2000::/3, in which all addresses of hosts are (RFC 4291 section 2.4). */
const GLOBAL_UNICAST: IpAddress = { family: 6, value: 0x2000n << 112n };

const optional = <T extends z.ZodMiniType>(schema: T) => z.catch(z.optional(schema), undefined);

const entry = z.object({
  autonomous_system_number: optional(z.int().check(z.positive())),
  autonomous_system_organization: optional(z.string()),
  asn: optional(z.string().check(z.regex(/^AS[1-9]\d{0,9}$/))),
  as_name: optional(z.string()),
  country: optional(z.union([z.string(), z.object({ iso_code: z.string() })])),
  country_code: optional(z.string()),
});

/**
 * Reads the data of files. If several say something of a kind, the first one counts.
 * @throws Error with the reason if a file is not MMDB or is damaged; `path` says which one.
 */
export function readIpData(files: readonly { readonly path: string; readonly bytes: Buffer }[]): IpData {
  const readers = files.map(({ path, bytes }) => {
    try {
      return readerOf(bytes);
    } catch (error) {
      throw new Error(`${path} is no MMDB file, or is damaged: ${(error as Error).message}`);
    }
  });
  return {
    sources: readers.map(({ metadata }) => ({
      name: metadata.databaseType,
      day: dayAt(metadata.buildEpoch),
    })),
    ownerOf(address) {
      const found = readers.map((reader) => ownerIn(reader, address));
      const first = <Key extends keyof AddressOwner>(key: Key) =>
        found.find((one) => one?.[key] != null)?.[key] ?? null;
      const owner = { asn: first('asn'), owner: first('owner'), country: first('country') };
      return Object.values(owner).every((value) => value === null) ? undefined : owner;
    },
  };
}

function readerOf(bytes: Buffer): Reader<never> {
  const end = bytes.lastIndexOf(METADATA_MARKER);
  if (end === -1) throw new Error('it has no metadata');
  const reader = new Reader<never>(bytes);
  const { binaryFormatMajorVersion, searchTreeSize, ipVersion, buildEpoch, databaseType } = reader.metadata;
  if (binaryFormatMajorVersion !== 2) throw new Error(`its format is ${binaryFormatMajorVersion}, not 2`);
  if (ipVersion !== 4 && ipVersion !== 6) throw new Error('its addresses are neither IPv4 nor IPv6');
  if (!(buildEpoch.getTime() > 0) || typeof databaseType !== 'string')
    throw new Error('it says neither what it is nor when it was made');
  const separator = bytes.subarray(searchTreeSize, searchTreeSize + SEPARATOR_BYTES);
  if (!(searchTreeSize + SEPARATOR_BYTES <= end) || separator.some((byte) => byte !== 0))
    throw new Error('its search tree does not end where it should');
  readNetworks(reader, { family: 4, value: 0n });
  if (ipVersion === 6) readNetworks(reader, GLOBAL_UNICAST);
  return reader;
}

/** Reads the first networks from an address on: damage shows in what the tree leads to. */
function readNetworks(reader: Reader<never>, { family, value: start }: IpAddress): void {
  const bits = ADDRESS_BITS[family];
  let value = start;
  for (let read = 0; read < READ_NETWORKS && value >> BigInt(bits) === 0n; read += 1) {
    const [data, length] = reader.getWithPrefixLength(formatIp({ family, value }));
    if (data !== null && !isRecord(data)) throw new Error('it has something else than data about networks');
    const rest = BigInt(bits - length);
    value = ((value >> rest) + 1n) << rest;
  }
}

const isRecord = (data: unknown): boolean => typeof data === 'object' && !Array.isArray(data);

function ownerIn(reader: Reader<never>, address: string): AddressOwner | undefined {
  const parsed = entry.safeParse(dataOf(reader, address));
  if (!parsed.success) return undefined;
  const { autonomous_system_number, autonomous_system_organization, asn, as_name } = parsed.data;
  const { country, country_code } = parsed.data;
  const code = country_code ?? (typeof country === 'string' ? country : country?.iso_code);
  const owner = (autonomous_system_organization ?? as_name)?.slice(0, MAX_OWNER);
  return {
    asn: autonomous_system_number ?? (asn === undefined ? null : Number(asn.slice(2))),
    owner: owner || null,
    country: code !== undefined && /^[A-Z]{2}$/.test(code) ? code : null,
  };
}

/** Null of an address that the file does not have. IPv4 files have no IPv6 addresses, and damage can be anywhere. */
function dataOf(reader: Reader<never>, address: string): unknown {
  if (reader.metadata.ipVersion === 4 && address.includes(':')) return null;
  try {
    return reader.get(address);
  } catch {
    return null;
  }
}
