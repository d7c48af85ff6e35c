import { Stack } from 'aws-cdk-lib';
import { ARecord, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import type { Construct } from 'constructs';
import type { ApiDomain } from './api.ts';
import { requiredRecords } from './dns-records.ts';
import { acceptedOf } from './former-domains.ts';
import type { MailStack } from './mail.ts';
import type { ServiceStack } from './service.ts';
import type { Settings } from './settings.ts';
import { stackName } from './stack-names.ts';
import { stackProps } from './stage.ts';
import { ZoneRecords } from './zone-records.ts';

interface Named {
  readonly mail: MailStack;
  readonly service: ServiceStack;
}

/**
 * The required records in the given hosted zones. A separate stack, because CloudFormation fails if a record already
 * exists, and someone has to resolve that manually; no other stack depends on this one.
 */
export class DnsStack extends Stack {
  constructor(scope: Construct, settings: Settings, { mail, service }: Named) {
    super(scope, stackName(settings, 'dns'), stackProps(settings, 'dns', 'DNS records'));
    const zones = new ZoneRecords(this, settings.hostedZones);
    const { REPORTS_DOMAIN: reportsDomain = '', TESTER_DOMAIN: testerDomain = '' } = settings.environment;
    const records = requiredRecords({
      reportsDomain,
      testerDomain,
      formerReportsDomains: acceptedOf(settings.formerReportsDomains),
      formerTesterDomains: acceptedOf(settings.formerTesterDomains),
      region: this.region,
      secondRegion: settings.secondMailRegion,
      dkimTokens: mail.proven.flatMap(({ dkimTokens }) => dkimTokens),
      alertSender: mail.alertSender,
    });
    zones.publish(records, mail.proven);
    if (service.api.domain !== undefined) this.#alias(service.api.domain, zones);
  }

  /** An alias record, which works even at the zone apex, where a CNAME record is not allowed. */
  #alias({ name, target, hostedZoneId }: ApiDomain, zones: ZoneRecords): void {
    const zone = zones.at(name);
    if (zone === undefined) return;
    new ARecord(this, `A ${name}`, {
      zone,
      recordName: `${name}.`,
      target: RecordTarget.fromAlias(new ApiGatewayv2DomainProperties(target, hostedZoneId)),
    });
  }
}
