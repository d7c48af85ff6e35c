/** The hosted zones of the settings, for a stack that creates records in them. */
import { Duration, Token } from 'aws-cdk-lib';
import { HostedZone, type IHostedZone, RecordSet, RecordTarget, RecordType } from 'aws-cdk-lib/aws-route53';
import type { EmailIdentity } from 'aws-cdk-lib/aws-ses';
import type { Construct } from 'constructs';
import type { DkimToken, DnsRecord } from './dns-records.ts';
import { type HostedZone as GivenZone, zoneOf } from './hosted-zones.ts';

/** Short, because most corrections happen on the first day. */
const TIME_TO_LIVE = Duration.minutes(5);

/** A domain that SES receives or sends for. */
export interface ProvenDomain {
  readonly domain: string;
  /** The DNS records that verify the domain; SES generates them. */
  readonly dkimTokens: readonly DkimToken[];
}

export const provenBy = ({
  domain,
  identity,
}: {
  domain: string;
  identity: EmailIdentity;
}): ProvenDomain => ({
  domain,
  dkimTokens: identity.dkimRecords,
});

export class ZoneRecords {
  readonly #scope: Construct;
  readonly #given: readonly GivenZone[];
  readonly #zones: ReadonlyMap<string, IHostedZone>;

  constructor(scope: Construct, zones: readonly GivenZone[]) {
    this.#scope = scope;
    this.#given = zones;
    this.#zones = new Map(
      zones.map(({ name, id }) => [
        name,
        HostedZone.fromHostedZoneAttributes(scope, name, { zoneName: name, hostedZoneId: id }),
      ]),
    );
  }

  /** The zone that a name is in; undefined if it is in none of them. */
  at(name: string): IHostedZone | undefined {
    const zone = zoneOf(name, this.#given);
    return zone && this.#zones.get(zone.name);
  }

  /** Creates the records whose names are in the zones; those of one name and type are one set. */
  publish(records: readonly DnsRecord[], proven: readonly ProvenDomain[]): void {
    const sets = Map.groupBy(records, (record) => `${record.type} ${placeOf(record, proven)}`);
    for (const [id, some] of sets) {
      const [first] = some;
      const zone = first && this.at(placeOf(first, proven));
      if (first === undefined || zone === undefined) continue;
      const { name, type } = first;
      new RecordSet(this.#scope, id, {
        zone,
        // Without the final dot, CDK could not tell whether a token is an absolute name.
        recordName: `${name}.`,
        recordType: RecordType[type],
        target: RecordTarget.fromValues(...some.map(({ value }) => (type === 'TXT' ? `"${value}"` : value))),
        ttl: TIME_TO_LIVE,
      });
    }
  }
}

/** The name of a record, with placeholders for DKIM keys that SES has not generated yet. */
function placeOf({ name }: DnsRecord, proven: readonly ProvenDomain[]): string {
  if (!Token.isUnresolved(name)) return name;
  for (const { domain, dkimTokens } of proven) {
    const index = dkimTokens.findIndex((token) => token.name === name);
    if (index !== -1) return `dkim${index + 1}._domainkey.${domain}`;
  }
  throw new Error('the name of a record is a token, but not of a DKIM key');
}
