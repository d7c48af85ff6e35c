/**
 * The example internet: domains below `test` with name server, mail hosts and web sites on loopback, so that the whole
 * service can be seen at work without network; and what the service's own domains below `localhost` publish. It is
 * reached through the settings that everything is reached through: `DNS_SERVERS`, `DNSSEC_TRUST_ANCHORS`, `DIAL_MAP`
 * and `EXTRA_CA_FILE`.
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
  /** Resolvers for every other name; with none, those names are answered SERVFAIL. */
  readonly forwardTo: readonly ServerAddress[];
  /** Port of the name server; any free one where it is left out. */
  readonly dnsPort?: number;
  /** The domains that the service receives mail at; below `localhost` they are answered for as well. */
  readonly receiving?: ReceivingDomains;
  /** The file in which published records are kept; without it they go with the process. */
  readonly keptIn?: string;
  /** The time by which signatures and certificates are made. */
  readonly clock?: Clock;
}

export interface ExampleInternet {
  /** For `DNS_SERVERS`: `127.0.0.1:port`. */
  readonly dnsServers: string;
  /** For `DNSSEC_TRUST_ANCHORS`, beside the root's: the DS of `test`, made anew at each start. */
  readonly trustAnchors: string;
  /** For `DIAL_MAP`: `host:port=address:port,...`, each host by name and by address. */
  readonly dialMap: string;
  /** For the file named by `EXTRA_CA_FILE`, made anew at each start. */
  readonly caPem: string;
  /** Adds a record below `test`, kept, served and signed at once; or says in a sentence why that cannot be. */
  publish(record: PublishedRecord): string | undefined;
  /** Takes back a record that was published; false where there is none. */
  withdraw(record: PublishedRecord): boolean;
  stop(): Promise<void>;
}

/** Starts everything; rejects, leaving nothing behind, where `dnsPort` is in use. */
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
