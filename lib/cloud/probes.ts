import { CfnOutput, Fn, Stack, Validations } from 'aws-cdk-lib';
import {
  CfnEIP,
  GatewayVpcEndpointAwsService,
  type ISecurityGroup,
  type IVpc,
  NatProvider,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import { parseServers } from '../../shared/runtime/config/config-lists.ts';
import type { Settings } from './settings.ts';
import { stackName } from './stack-names.ts';
import { keeping, stackProps } from './stage.ts';

/** The ports that checks connect to: SMTP and HTTPS; AWS APIs use HTTPS too. */
const TCP_PORTS = [25, 443];

/** The availability zones of the VPC. */
const ZONES = 2;

/**
 * A VPC for the functions that connect to port 25, which is blocked outside a VPC. All outbound connections use one IP
 * address, or one in each zone, for which AWS opens port 25 on request. It also needs a reverse DNS name, because mail servers check it.
 */
export class ProbesStack extends Stack {
  readonly vpc: IVpc;
  readonly securityGroup: ISecurityGroup;

  /** Chosen by CloudFormation: CDK would ask the account for them, and synthesis works without one. */
  override get availabilityZones(): string[] {
    return Array.from({ length: ZONES }, (_zone, at) => Fn.select(at, Fn.getAzs()));
  }

  constructor(scope: Construct, settings: Settings) {
    super(scope, stackName(settings, 'probes'), stackProps(settings, 'probes', 'the VPC for SMTP probes'));
    // A zone that fails takes the probes of all zones with it, unless each has a NAT gateway.
    const addresses = ['Address', ...(settings.natPerZone ? ['SecondAddress'] : [])].map((id) => {
      const address = new CfnEIP(this, id, { domain: 'vpc' });
      address.applyRemovalPolicy(keeping(settings).removalPolicy);
      return address;
    });
    this.vpc = new Vpc(this, 'Network', {
      maxAzs: ZONES,
      natGateways: addresses.length,
      natGatewayProvider: NatProvider.gateway({
        eipAllocationIds: addresses.map(({ attrAllocationId }) => attrAllocationId),
      }),
      subnetConfiguration: [
        { name: 'public', subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false },
        { name: 'probes', subnetType: SubnetType.PRIVATE_WITH_EGRESS },
      ],
      gatewayEndpoints: { table: { service: GatewayVpcEndpointAwsService.DYNAMODB } },
      // Nothing uses the default security group, and restricting it would need a custom resource of CDK.
      restrictDefaultSecurityGroup: false,
    });
    Validations.of(this.vpc).acknowledge({
      id: 'AwsSolutions::AwsSolutions-VPC7',
      reason:
        'Only the functions that run checks make outbound connections from it, inbound connections are impossible, and the check results show the targets.',
    });
    this.securityGroup = this.#egress(settings);
    new CfnOutput(this, 'ProbeAddress', {
      value: addresses.map(({ attrPublicIp }) => attrPublicIp).join(','),
    });
  }

  #egress({ environment }: Settings): SecurityGroup {
    const group = new SecurityGroup(this, 'Egress', {
      vpc: this.vpc,
      description: 'DNS, SMTP and HTTPS to anywhere',
      allowAllOutbound: false,
    });
    // Configured resolvers can use other ports; authoritative servers use port 53.
    const resolvers = parseServers(environment.DNS_SERVERS ?? '').map(({ port }) => port);
    for (const port of new Set([53, ...resolvers])) {
      group.addEgressRule(Peer.anyIpv4(), Port.udp(port), 'DNS');
      group.addEgressRule(Peer.anyIpv4(), Port.tcp(port), 'DNS');
    }
    for (const port of TCP_PORTS) group.addEgressRule(Peer.anyIpv4(), Port.tcp(port), 'SMTP and HTTPS');
    return group;
  }
}
