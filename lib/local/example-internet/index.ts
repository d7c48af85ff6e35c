/**
 * The example internet: domains under `test` with name servers, mail hosts and web sites on loopback, so that the whole
 * service can be tried without a network. It also publishes the service's own domains under `localhost`. The service
 * reaches it through its usual settings: `DNS_SERVERS`, `DNSSEC_TRUST_ANCHORS`, `DIAL_MAP` and `EXTRA_CA_FILE`.
 */
import type { ServerAddress } from '../../../shared/network/dns-transport.ts';
import type { Clock } from '../../../shared/network/ports.ts';
import { createAuthoritativeData } from './authoritative-data.ts';
import { createAuthority } from './authority.ts';
import { createForwarder } from './forwarder.ts';
import { startMailHost } from './mail-hosts.ts';
import { startNameServer } from './name-server.ts';
import { crowding, openRecordStore, type PublishedRecord, parseRecord } from './published-records.ts';
import { type ReceivingDomains, receivingZones } from './receiving-zones.ts';
import { startWebHosts } from './web-hosts.ts';
import { mailHosts, webHosts } from './zone-data.ts';

export interface ExampleInternetOptions {
  /** Resolvers for all other names; without any, those names are answered with SERVFAIL. */
  readonly forwardTo: readonly ServerAddress[];
  /** Port of the name server; any free port by default. */
  readonly dnsPort?: number;
  /** The domains at which the service receives mail. Those under `localhost` are published here. */
  readonly receiving?: ReceivingDomains;
  /** The file for published records; without it they are kept in memory. */
  readonly keptIn?: string;
  /** The clock for signatures and certificates. */
  readonly clock?: Clock;
}

export interface ExampleInternet {
  /** For `DNS_SERVERS`: `127.0.0.1:port`. */
  readonly dnsServers: string;
  /** For `DNSSEC_TRUST_ANCHORS`, in addition to the root's: the DS of `test`, created at each start. */
  readonly trustAnchors: string;
  /** For `DIAL_MAP`: `host:port=address:port,...`, each host by name and by address. */
  readonly dialMap: string;
  /** For the file in `EXTRA_CA_FILE`, created at each start. */
  readonly caPem: string;
  /** Adds, stores, serves and signs a record under `test`. Returns the reason if the record is rejected. */
  publish(record: PublishedRecord): string | undefined;
  /** Removes a published record. Returns false if there is no such record. */
  withdraw(record: PublishedRecord): boolean;
  stop(): Promise<void>;
}

/** Starts everything. Rejects if `dnsPort` is in use and leaves nothing running. */
export async function startExampleInternet({
  forwardTo,
  dnsPort = 0,
  receiving,
  keptIn = ':memory:',
  clock = { now: () => new Date() },
}: ExampleInternetOptions): Promise<ExampleInternet> {
  const authority = createAuthority(clock.now());
  const secured = [...mailHosts.filter(({ tls }) => tls), ...webHosts].map(({ name }) => name);
  const certificates = new Map(secured.map((name) => [name, authority.issue(name)]));
  const tlsa = new Map(
    mailHosts.flatMap(({ name }) => {
      const certificate = certificates.get(name);
      return certificate === undefined ? [] : [[name, certificate.publicKeyDigest] as const];
    }),
  );
  const data = createAuthoritativeData(clock, tlsa, receiving && receivingZones(receiving));
  const kept = openRecordStore(keptIn);
  for (const record of kept.all()) data.add(record);
  const nameServer = await startNameServer(data, createForwarder(forwardTo), dnsPort);
  const web = await startWebHosts(webHosts, certificates);
  const mail = await Promise.all(
    mailHosts.map(async (host) => ({
      ...host,
      server: await startMailHost(host.name, certificates.get(host.name)),
    })),
  );
  const dialled = [
    ...mail.map(({ name, address, server }) => ({ name, address, from: 25, to: server.port })),
    ...webHosts.map(({ name, address }) => ({ name, address, from: 443, to: web.port })),
  ];
  return {
    dnsServers: `127.0.0.1:${nameServer.port}`,
    trustAnchors: data.trustAnchors,
    dialMap: dialled
      .flatMap(({ name, address, from, to }) =>
        [name, address].map((host) => `${host}:${from}=127.0.0.1:${to}`),
      )
      .join(','),
    caPem: authority.caPem,
    publish(written) {
      const parsed = parseRecord(written);
      if (!parsed.ok) return parsed.problem;
      const { record } = parsed;
      if (data.has(record)) return undefined;
      const problem = crowding(record, kept.all());
      if (problem !== undefined) return problem;
      kept.add(record);
      data.add(record);
      return undefined;
    },
    withdraw(written) {
      const parsed = parseRecord(written);
      if (!parsed.ok || !kept.remove(parsed.record)) return false;
      data.remove(parsed.record);
      return true;
    },
    async stop() {
      await Promise.all([nameServer.stop(), web.stop(), ...mail.map(({ server }) => server.stop())]);
      kept.close();
    },
  };
}
