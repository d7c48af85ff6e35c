/**
 * A small internet in a network namespace: a signed root, `test` and `example`, and below them each faulty zone, served by BIND
 * and NSD, with its mail and web hosts on their usual ports.
 */
import type { ChildProcess } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../../shared/network/clock.ts';
import { createResolver } from '../../../shared/network/resolver.ts';
import {
  type Authority,
  type Certificate,
  createAuthority,
  expired,
  selfSigned,
} from '../../kit/certificates.ts';
import { type HttpsHost, type Page, startHttpsHost } from '../../kit/https-host.ts';
import { startSmtpHost } from '../../kit/smtp-host.ts';
import type { ZoneLiteral } from '../../kit/zone.ts';
import { startAuthority, startNsd, startRecursor, stopAll } from './name-servers.ts';
import { POLICY } from './policy-faults.ts';
import { domainOf, type MailHost, type PolicyHost, tops, type ZoneFault } from './zone-fault.ts';
import { literalLines, writeZone, type ZoneFiles } from './zone-files.ts';

/** Not on loopback: libunbound sends nothing there. */
export const RESOLVER = '198.51.100.53';
const ROOT = ['a.root', '198.51.100.1'] as const;
/** Of the zones between the root and the faulty ones. */
const TOP_ADDRESS = '198.51.100.2';
const BIND = '198.51.100.10';
const NSD = '198.51.100.11';
const MAIL = ['192.0.2.1', '2001:db8::1'];
const WEB = '192.0.2.2';
/** Hosts that a zone has for itself are at these addresses, in the order of the zones. */
const ownAddress = (at: number) => `203.0.113.${at + 1}`;
const WRITTEN_TOGETHER = 3;

/** What `ip address add` needs, before anything starts. BIND listens only on addresses that an interface has. */
export const prefixes = [
  '192.0.2.0/24',
  '198.51.100.0/24',
  `${BIND}/32`,
  `${RESOLVER}/32`,
  '203.0.113.0/24',
  '2001:db8::1/128',
];

export interface JudgedZone {
  readonly zone: ZoneFault;
  readonly domain: string;
}

export interface World {
  readonly zones: readonly JudgedZone[];
  /** Data of the DS record of the root. */
  readonly anchors: readonly string[];
  readonly files: {
    readonly folder: string;
    /** The name server of the root, as `name=address`. */
    readonly root: string;
    /** The DNSKEY records of the root. */
    readonly rootKeys: string;
    readonly hints: string;
    /** PEM of the authority of mail and web hosts. */
    readonly authority: string;
  };
  readonly authority: string;
  stop(): Promise<void>;
}

export async function startWorld(folder: string, faults: readonly ZoneFault[]): Promise<World> {
  const authority = createAuthority();
  const zones = faults.map((zone) => ({ zone, domain: domainOf(zone) }));
  const children: ChildProcess[] = [];
  const hosts: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    await Promise.all([stopAll(children), ...hosts.map((host) => host.stop())]);
  };
  try {
    const written = await writeZones(folder, authority, zones, hosts);
    const topZones = await Promise.all(
      tops.map((top) => {
        const below = written.filter(({ name }) => name.endsWith(`.${top}`));
        const lines = below.flatMap(({ delegation }) => delegation);
        return writeZone(folder, { name: top, servers: [[`ns.${top}`, TOP_ADDRESS]], lines });
      }),
    );
    const lines = topZones.flatMap(({ delegation }) => delegation);
    const root = await writeZone(folder, { name: '', servers: [ROOT], lines });
    children.push(
      startNsd(folder, ROOT[1], [root]),
      startNsd(folder, TOP_ADDRESS, topZones),
      startNsd(folder, NSD, written),
      startAuthority(folder, BIND, written),
      startRecursor(folder, RESOLVER, ROOT, root.ds),
    );
    const rootKeys = join(folder, 'root.keys');
    writeFileSync(rootKeys, root.keys.map((file) => readFileSync(file, 'utf8')).join(''));
    const authorityFile = join(folder, 'authority.pem');
    writeFileSync(authorityFile, authority.cert);
    await untilResolved(zones[0]?.domain ?? '');
    const files = {
      folder,
      root: ROOT.join('='),
      rootKeys,
      hints: join(folder, 'hints'),
      authority: authorityFile,
    };
    return { zones, anchors: root.ds, files, authority: authority.cert, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the hosts of the zones and writes these, and the zones that they name. */
async function writeZones(
  folder: string,
  authority: Authority,
  zones: readonly JudgedZone[],
  hosts: { stop(): Promise<void> }[],
): Promise<ZoneFiles[]> {
  const names = zones.map(({ domain }) => domain);
  const shared = authority.issue(names.flatMap((it) => [`mx.${it}`, it, `mx1.${it}`]));
  for (const host of MAIL) hosts.push(await startSmtpHost({ certificate: shared, host, port: 25 }));
  hosts.push(await startPolicies(authority, zones));
  const literals: { name: string; zone?: ZoneFault; literal: ZoneLiteral }[] = [];
  const others: Record<string, ZoneLiteral> = {};
  for (const [at, { zone, domain }] of zones.entries()) {
    const whole: ZoneLiteral = {
      [`mta-sts.${domain}`]: { A: [WEB] },
      ...zone.records(domain),
      ...(await ownHosts(at, authority, { zone, domain }, hosts)),
    };
    const literal: Record<string, ZoneLiteral[string]> = {};
    for (const [name, node] of Object.entries(whole)) {
      const other = name.split('.').slice(-2).join('.');
      if (other === domain) literal[name] = node;
      else others[other] = { ...others[other], [name]: node };
    }
    literals.push({ name: domain, zone, literal });
  }
  for (const [name, literal] of Object.entries(others)) literals.push({ name, literal });
  const written: ZoneFiles[] = [];
  const left = [...literals];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { name, zone, literal } = next;
      const servers = [[`ns1.${name}`, BIND] as const, [`ns2.${name}`, NSD] as const];
      written.push(
        await writeZone(folder, { name, servers, lines: literalLines(literal), signing: zone?.signing }),
      );
    }
  };
  await Promise.all(Array.from({ length: WRITTEN_TOGETHER }, work));
  return written;
}

/** The records of the hosts that a zone has for itself, which are started. */
async function ownHosts(
  at: number,
  authority: Authority,
  { zone, domain }: JudgedZone,
  hosts: { stop(): Promise<void> }[],
): Promise<ZoneLiteral> {
  const address = ownAddress(at);
  const { mailHost, policyHost } = zone;
  if (mailHost !== undefined) {
    const name = `mx.${domain}`;
    const certificate = certificateOf(mailHost, name, authority);
    const sent = mailHost.leafAlone === true ? { ...certificate, chain: certificate.cert } : certificate;
    hosts.push(
      await startSmtpHost({
        ...(mailHost.certificate === null ? {} : { certificate: sent }),
        ...mailHost.smtp,
        host: address,
        port: 25,
      }),
    );
    const [leaf, above] = [new X509Certificate(certificate.cert), new X509Certificate(authority.cert)];
    const tlsa = mailHost.tlsa(leaf, above);
    return {
      [name]: { A: [address] },
      ...(tlsa.length === 0 ? {} : { [`_25._tcp.${name}`]: { TLSA: tlsa } }),
    };
  }
  if (policyHost === undefined) return {};
  if (policyHost.certificate === undefined && policyHost.page !== null) return {};
  if (policyHost.page !== null) {
    const certificate = policyCertificate(policyHost, `mta-sts.${domain}`, authority);
    hosts.push(
      await startHttpsHost(certificate, policyPage(policyHost.page, domain), { host: address, port: 443 }),
    );
  }
  return { [`mta-sts.${domain}`]: { A: [address] } };
}

function certificateOf({ names, validity, selfSigned: alone }: MailHost, name: string, authority: Authority) {
  if (alone === true) return { ...selfSigned(names ?? [name], validity), chain: undefined };
  return authority.issue(names ?? [name], validity);
}

function policyCertificate({ certificate }: PolicyHost, name: string, authority: Authority): Certificate {
  switch (certificate) {
    case 'expired':
      return authority.issue([name], expired);
    case 'self-signed':
      return selfSigned([name]);
    default:
      return authority.issue(['mta-sts.other.test']);
  }
}

const POLICY_PATH = '/.well-known/mta-sts.txt';

/** Bodies with the domain in place of `$`. */
function policyPage(page: string | Page, domain: string): Readonly<Record<string, Page>> {
  const of: Page = typeof page === 'string' ? { body: page } : page;
  if (typeof of === 'function') return { [POLICY_PATH]: of };
  const headers = { 'content-type': 'text/plain', ...of.headers };
  const body = typeof of.body === 'string' ? of.body.replaceAll('$', domain) : of.body;
  return { [POLICY_PATH]: { ...of, headers, ...(body === undefined ? {} : { body }) } };
}

/** One web host for all policies on the shared address, by the name of the host. */
function startPolicies(authority: Authority, zones: readonly JudgedZone[]): Promise<HttpsHost> {
  const policies = new Map(
    zones.map(({ zone, domain }) => [
      `mta-sts.${domain}`,
      policyPage(zone.policyHost?.page ?? POLICY, domain),
    ]),
  );
  const answer: Page = (request, response) => {
    const page = policies.get(request.headers.host ?? '')?.[request.url ?? ''];
    if (page === undefined || typeof page === 'function') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(page.status ?? 200, { ...page.headers }).end(page.body);
  };
  return startHttpsHost(
    authority.issue([...policies.keys()]),
    { [POLICY_PATH]: answer },
    { host: WEB, port: 443 },
  );
}

async function untilResolved(domain: string): Promise<void> {
  const dns = createResolver({ servers: [{ address: RESOLVER, port: 53 }], clock: systemClock });
  for (let tries = 0; tries < 60; tries += 1) {
    const answer = await dns.lookup(domain, 'SOA', { fresh: true });
    if (answer.status === 'found') return;
    await pause(500);
  }
  throw new Error(`${domain} is not served`);
}
