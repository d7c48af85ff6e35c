import { CfnOutput, Stack, Validations } from 'aws-cdk-lib';
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
import { parseServers } from '../../shared/runtime/config-lists.ts';
import type { Settings } from './config.ts';
import { keeping, stackName, stackProps } from './stage.ts';

/** What checks dial: SMTP, and HTTPS, by which AWS is reached as well. */
const TCP_PORTS = [25, 443];

/**
 * A network for the functions that dial port 25, which Lambda's own does not allow. All go out by one address, for
 * which AWS opens the port on request; mail servers see it, so it needs a name in reverse DNS, on request as well.
 */
export class ProbesStack extends Stack {
  readonly vpc: IVpc;
  readonly securityGroup: ISecurityGroup;

  constructor(scope: Construct, settings: Settings) {
    super(scope, stackName(settings, 'probes'), stackProps(settings, 'the network of SMTP probes'));
    const address = new CfnEIP(this, 'Address', { domain: 'vpc' });
    address.applyRemovalPolicy(keeping[settings.stage].removalPolicy);
    this.vpc = new Vpc(this, 'Network', {
      maxAzs: 2,
      natGateways: 1,
      natGatewayProvider: NatProvider.gateway({ eipAllocationIds: [address.attrAllocationId] }),
      subnetConfiguration: [
        { name: 'public', subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false },
        { name: 'probes', subnetType: SubnetType.PRIVATE_WITH_EGRESS },
      ],
      gatewayEndpoints: { table: { service: GatewayVpcEndpointAwsService.DYNAMODB } },
      // Nothing is put into it, and emptying it would take a function of the CDK's own.
      restrictDefaultSecurityGroup: false,
    });
    Validations.of(this.vpc).acknowledge({
      id: 'AwsSolutions::AwsSolutions-VPC7',
      reason: 'Two functions dial from it and nothing can dial in; their results say whom they dialled.',
    });
    this.securityGroup = this.#egress(settings);
    new CfnOutput(this, 'ProbeAddress', { value: address.attrPublicIp });
  }

  #egress({ environment }: Settings): SecurityGroup {
    const group = new SecurityGroup(this, 'Egress', {
      vpc: this.vpc,
      description: 'DNS, SMTP and HTTPS to anywhere',
      allowAllOutbound: false,
    });
    // An installation may name resolvers at other ports; authoritative servers are asked at 53.
    const resolvers = parseServers(environment.DNS_SERVERS ?? '').map(({ port }) => port);
    for (const port of new Set([53, ...resolvers])) {
      group.addEgressRule(Peer.anyIpv4(), Port.udp(port), 'DNS');
      group.addEgressRule(Peer.anyIpv4(), Port.tcp(port), 'DNS');
    }
    for (const port of TCP_PORTS) group.addEgressRule(Peer.anyIpv4(), Port.tcp(port), 'SMTP and HTTPS');
    return group;
  }
}
