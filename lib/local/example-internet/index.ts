/**
 * The example internet: domains under `test` with name servers, mail hosts and web sites on loopback, so that the whole
 * service can be tried without a network. It also publishes the service's own domains under `localhost`. The service
 * reaches it through its usual settings: `DNS_SERVERS`, `DNSSEC_TRUST_ANCHORS`, `DIAL_MAP` and `EXTRA_CA_FILE`.
 */
import type { ServerAddress } from '../../../shared/network/dns-transport.ts';
import type { Clock } from '../../../shared/network/ports.ts';
import { createAuthoritativeData } from './authoritative-data.ts';
import { createAuthority } from './certificate-authority.ts';
import { createForwarder } from './forwarder.ts';
import { startMailHost } from './mail-hosts.ts';
import { startNameServer } from './name-server.ts';
import { crowding, openRecordStore, type PublishedRecord, parseRecord } from './published-records.ts';
import { type ReceivingDomains, receivingZones } from './receiving-zones.ts';
import { type ReceivedWebhook, startWebHosts } from './web-hosts.ts';
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
  /** Like `publish`, and removes all other TXT records of the name. */
  replaceText(record: PublishedRecord & { readonly type: 'TXT' }): string | undefined;
  /** Removes a record, also one of the example domains. Returns false if there is no such record. */
  withdraw(record: PublishedRecord): boolean;
  /** The latest requests of webhooks to `hooks.test`, newest first. */
  readonly webhooks: readonly ReceivedWebhook[];
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
  for (const record of kept.withdrawn.all()) data.remove(record);
  for (const record of kept.published.all()) data.add(record);
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
    webhooks: web.webhooks,
    publish,
    replaceText(written) {
      const problem = publish(written);
      const parsed = parseRecord(written);
      if (problem !== undefined || !parsed.ok) return problem;
      const { name, value } = parsed.record;
      for (const record of data.textsAt(name)) if (record.value !== value) withdraw(record);
      return undefined;
    },
    withdraw,
    async stop() {
      await Promise.all([nameServer.stop(), web.stop(), ...mail.map(({ server }) => server.stop())]);
      kept.close();
    },
  };

  function publish(written: PublishedRecord): string | undefined {
    const parsed = parseRecord(written);
    if (!parsed.ok) return parsed.problem;
    const { record } = parsed;
    if (data.has(record)) return undefined;
    if (!kept.withdrawn.remove(record)) {
      const problem = crowding(record, kept.published.all());
      if (problem !== undefined) return problem;
      kept.published.add(record);
    }
    data.add(record);
    return undefined;
  }

  function withdraw(written: PublishedRecord): boolean {
    const parsed = parseRecord(written);
    if (!parsed.ok || !data.has(parsed.record)) return false;
    const { record } = parsed;
    if (!kept.published.remove(record)) kept.withdrawn.add(record);
    data.remove(record);
    return true;
  }
}
