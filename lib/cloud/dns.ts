import { Duration, Stack, Token } from 'aws-cdk-lib';
import {
  ARecord,
  HostedZone,
  type IHostedZone,
  RecordSet,
  RecordTarget,
  RecordType,
} from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import type { Construct } from 'constructs';
import type { ApiDomain } from './api.ts';
import { type DnsRecord, requiredRecords } from './dns-records.ts';
import { acceptedOf } from './former-domains.ts';
import { zoneOf } from './hosted-zones.ts';
import type { MailStack } from './mail.ts';
import type { ServiceStack } from './service.ts';
import type { Settings } from './settings.ts';
import { stackName } from './stack-names.ts';
import { stackProps } from './stage.ts';

/** Short, because most corrections happen on the first day. */
const TIME_TO_LIVE = Duration.minutes(5);

interface Named {
  readonly mail: MailStack;
  readonly service: ServiceStack;
}

/**
 * The required records in the given hosted zones. A separate stack, because CloudFormation fails if a record already
 * exists, and someone has to resolve that manually; no other stack depends on this one.
 */
export class DnsStack extends Stack {
  readonly #zones: ReadonlyMap<string, IHostedZone>;
  readonly #settings: Settings;

  constructor(scope: Construct, settings: Settings, { mail, service }: Named) {
    super(scope, stackName(settings, 'dns'), stackProps(settings, 'dns', 'DNS records'));
    this.#settings = settings;
    this.#zones = new Map(
      settings.hostedZones.map(({ name, id }) => [
        name,
        HostedZone.fromHostedZoneAttributes(this, name, { zoneName: name, hostedZoneId: id }),
      ]),
    );
    const { REPORTS_DOMAIN: reportsDomain = '', TESTER_DOMAIN: testerDomain = '' } = settings.environment;
    const records = requiredRecords({
      reportsDomain,
      testerDomain,
      formerReportsDomains: acceptedOf(settings.formerReportsDomains),
      formerTesterDomains: acceptedOf(settings.formerTesterDomains),
      region: this.region,
      dkimTokens: mail.proven.flatMap(({ dkimTokens }) => dkimTokens),
      alertSender: mail.alertSender,
    });
    for (const record of records) this.#publish(record, placeOf(record, mail));
    if (service.api.domain !== undefined) this.#alias(service.api.domain);
  }

  /** `place` is the record's name, with placeholders for DKIM keys that SES has not generated yet. */
  #publish({ type, name, value }: DnsRecord, place: string): void {
    const zone = this.#zoneOf(place);
    if (zone === undefined) return;
    new RecordSet(this, `${type} ${place}`, {
      zone,
      // Without the final dot, CDK could not tell whether a token is an absolute name.
      recordName: `${name}.`,
      recordType: RecordType[type],
      target: RecordTarget.fromValues(type === 'TXT' ? `"${value}"` : value),
      ttl: TIME_TO_LIVE,
    });
  }

  /** An alias record, which works even at the zone apex, where a CNAME record is not allowed. */
  #alias({ name, target, hostedZoneId }: ApiDomain): void {
    const zone = this.#zoneOf(name);
    if (zone === undefined) return;
    new ARecord(this, `A ${name}`, {
      zone,
      recordName: `${name}.`,
      target: RecordTarget.fromAlias(new ApiGatewayv2DomainProperties(target, hostedZoneId)),
    });
  }

  #zoneOf(name: string): IHostedZone | undefined {
    const zone = zoneOf(name, this.#settings.hostedZones);
    return zone && this.#zones.get(zone.name);
  }
}

function placeOf({ name }: DnsRecord, { proven }: MailStack): string {
  if (!Token.isUnresolved(name)) return name;
  for (const { domain, dkimTokens } of proven) {
    const index = dkimTokens.findIndex((token) => token.name === name);
    if (index !== -1) return `dkim${index + 1}._domainkey.${domain}`;
  }
  throw new Error('the name of a record is a token, but not of a DKIM key');
}
