import { describe, expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { triggers } from '../../../functions/triggers.ts';
import type { Capability } from '../../../shared/operations/capability.ts';
import { prod, synthesize } from './synthesize.ts';

const rows = [...Object.values(routes), ...Object.values(triggers)];
const dials = ({ uses }: { readonly uses: readonly Capability[] }) => uses.includes('probes');

describe('without smtpProbe', () => {
  const deployed = synthesize(prod);

  test('no function runs in a VPC, and functions that could connect to port 25 have probes disabled', () => {
    for (const made of deployed.all('AWS::Lambda::Function')) expect(made.VpcConfig).toBeUndefined();
    for (const { summary } of rows) expect(deployed.environment(summary).PROBE_SMTP).toBe('off');
  });
});

describe('with smtpProbe', () => {
  const deployed = synthesize({ ...prod, smtpProbe: true, dnsServers: '192.0.2.53:5353' });

  test('only the functions that connect to port 25 run in a VPC', () => {
    const placed = deployed.all('AWS::Lambda::Function').filter(({ VpcConfig }) => VpcConfig !== undefined);
    expect(placed.map(({ Description }) => Description).toSorted()).toEqual(
      rows
        .filter(dials)
        .map(({ summary }) => summary)
        .toSorted(),
    );
    expect(placed.length).toBeGreaterThan(0);
    for (const { summary } of rows) expect(deployed.environment(summary).PROBE_SMTP).toBe('on');
  });

  test('the functions connect only to SMTP, HTTPS and the resolvers, and accept no connections', () => {
    const groups = deployed.all('AWS::EC2::SecurityGroup');
    const ports = groups.flatMap(({ SecurityGroupEgress }) =>
      (SecurityGroupEgress as { IpProtocol: string; FromPort: number }[]).map(
        ({ IpProtocol, FromPort }) => `${FromPort}/${IpProtocol}`,
      ),
    );
    expect(ports.toSorted()).toEqual(['25/tcp', '443/tcp', '53/tcp', '53/udp', '5353/tcp', '5353/udp']);
    for (const group of groups) expect(group.SecurityGroupIngress).toBeUndefined();
  });

  test('functions keep the permissions to leave the VPC after smtpProbe is disabled', () => {
    const before = synthesize(prod);
    for (const { summary } of rows.filter(dials)) {
      expect(before.permissions(summary)).toEqual(deployed.permissions(summary));
      expect(before.permissions(summary)).toContain('ec2:DeleteNetworkInterface on *');
    }
  });

  test('all functions share one outgoing address, which survives the deletion of the VPC', () => {
    expect(deployed.all('AWS::EC2::NatGateway')).toHaveLength(1);
    expect(deployed.resources('AWS::EC2::EIP')).toMatchObject([{ DeletionPolicy: 'RetainExceptOnCreate' }]);
    expect(deployed.outputs('probes').ProbeAddress).toBeDefined();
  });
});
