import { describe, expect, test } from '@jest/globals';
import { requiredRecords } from '../../../lib/cloud/dns-records.ts';
import { everything, prod, synthesize } from './synthesize.ts';

const deployed = synthesize(everything);
const records = deployed.all('AWS::Route53::RecordSet');

describe('with a hosted zone', () => {
  test('every required record is created in it', () => {
    const required = requiredRecords({
      reportsDomain: 'reports.acme.org',
      testerDomain: 'tester.acme.org',
      region: 'eu-west-1',
      dkimTokens: [],
      alertSender: 'alerts@acme.org',
    });
    for (const { name, type, value } of required) {
      expect(records).toContainEqual({
        HostedZoneId: 'Z0123456789ABC',
        Name: `${name}.`,
        Type: type,
        ResourceRecords: [type === 'TXT' ? `"${value}"` : value],
        TTL: '300',
      });
    }
    expect(required.length).toBeGreaterThan(7);
  });

  test('the DKIM keys of SES are published, three for each identity', () => {
    const keys = records.filter(({ Type }) => Type === 'CNAME');
    expect(keys).toHaveLength(9);
    for (const { Name, ResourceRecords } of keys) {
      expect(JSON.stringify(Name)).toMatch(/DkimDNSTokenName[123]"\]\},"\."/);
      expect(JSON.stringify(ResourceRecords)).toMatch(/DkimDNSTokenValue[123]/);
    }
  });

  test('the domain of the API points to the API', () => {
    expect(records).toContainEqual(
      expect.objectContaining({
        Name: 'monitor.acme.org.',
        Type: 'A',
        AliasTarget: expect.objectContaining({ DNSName: deployed.outputs('service').DnsApiTarget }),
      }),
    );
  });

  test('existing records are not overwritten', () => {
    expect(deployed.all('Custom::DeleteExistingRecordSet')).toEqual([]);
    expect(JSON.stringify(deployed.template('dns'))).not.toContain('Custom::');
  });

  test('each record is created in the nearest of several zones, and none outside the zones', () => {
    const two = synthesize({ ...prod, hostedZones: 'acme.org=Z1,reports.acme.org=Z2' });
    const zones = two.all('AWS::Route53::RecordSet').map(({ HostedZoneId, Name }) => [HostedZoneId, Name]);
    expect(zones).toContainEqual(['Z2', 'reports.acme.org.']);
    expect(zones).toContainEqual(['Z2', '_dmarc.reports.acme.org.']);
    expect(zones).toContainEqual(['Z1', 'tester.acme.org.']);
    const one = synthesize({ ...prod, hostedZones: 'reports.acme.org=Z2' });
    expect(JSON.stringify(one.all('AWS::Route53::RecordSet'))).not.toContain('tester.acme.org');
  });
});

test('without a hosted zone, no record is created, and the stack outputs contain the DNS facts', () => {
  const without = synthesize({ ...prod, region: 'eu-west-1' });
  expect(without.all('AWS::Route53::RecordSet')).toEqual([]);
  expect(without.outputs('mail')).toMatchObject({
    DnsRegion: 'eu-west-1',
    DnsReportsDomain: 'reports.acme.org',
    DnsTesterDomain: 'tester.acme.org',
    DnsDkim1: expect.anything(),
    DnsDkim6: expect.anything(),
  });
});
