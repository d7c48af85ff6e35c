import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { triggers } from '../../../functions/triggers.ts';
import { acknowledged, everything, prod, synthesize, withFirewall } from './synthesize.ts';

const SECRET = '{{resolve:secretsmanager:domain-monitor-prod-origin:SecretString:::}}';

const deployed = synthesize(withFirewall);

interface Distribution {
  readonly DistributionConfig: {
    readonly Aliases: readonly string[];
    readonly WebACLId: unknown;
    readonly Origins: readonly object[];
    readonly DefaultCacheBehavior: object;
  };
}
const [distribution] = deployed.all('AWS::CloudFront::Distribution') as readonly unknown[] as Distribution[];

describe('the firewall', () => {
  test('blocks addresses beyond the rate, in front of CloudFront', () => {
    const rule = {
      Action: { Block: { CustomResponse: { ResponseCode: 429 } } },
      Statement: { RateBasedStatement: { AggregateKeyType: 'IP', Limit: 1000 } },
    };
    expect(deployed.all('AWS::WAFv2::WebACL')).toMatchObject([
      { Scope: 'CLOUDFRONT', DefaultAction: { Allow: {} }, Rules: [rule] },
    ]);
    expect(distribution?.DistributionConfig.WebACLId).toMatchObject({
      'Fn::GetAtt': [expect.stringMatching(/^Firewall/), 'Arn'],
    });
  });

  test('is in the region of CloudFront, and the rest is where it was', () => {
    const regions = new Map(
      deployed.assembly.stacks.map(({ stackName, environment }) => [
        stackName.replace('domain-monitor-prod-', ''),
        environment.region,
      ]),
    );
    expect(regions.get('edge')).toBe('us-east-1');
    regions.delete('edge');
    expect(new Set(regions.values())).toEqual(new Set(['eu-west-1']));
  });

  test('passes requests with the secret on to the API, over TLS, and caches nothing', () => {
    expect(distribution?.DistributionConfig).toMatchObject({
      Aliases: ['monitor.acme.org'],
      ViewerCertificate: { MinimumProtocolVersion: 'TLSv1.2_2021' },
      Origins: [
        {
          DomainName: 'origin.acme.org',
          CustomOriginConfig: { OriginProtocolPolicy: 'https-only' },
          OriginCustomHeaders: [{ HeaderName: 'x-origin-secret', HeaderValue: SECRET }],
        },
      ],
      DefaultCacheBehavior: {
        ViewerProtocolPolicy: 'redirect-to-https',
        AllowedMethods: expect.arrayContaining(['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']),
        // Managed policies: CachingDisabled and AllViewerExceptHostHeader.
        CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
        OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
      },
    });
  });

  test('sets the address of the client, whatever the client sends', () => {
    const [made] = deployed.all('AWS::CloudFront::Function');
    const headers = { 'x-viewer-address': { value: '192.0.2.1' }, accept: { value: '*/*' } };
    const event = { viewer: { ip: '198.51.100.7' }, request: { uri: '/', headers } };
    const request = runInNewContext(`${String(made?.FunctionCode)}; handler(event)`, { event });
    expect(request).toEqual({
      uri: '/',
      headers: { 'x-viewer-address': { value: '198.51.100.7' }, accept: { value: '*/*' } },
    });
    expect(JSON.stringify(distribution)).toContain('"EventType":"viewer-request"');
  });

  test('acknowledges two rules of cdk-nag about CloudFront, and one about the secret', () => {
    const rules = acknowledged(withFirewall).map(({ ruleName }) => ruleName);
    const usual = acknowledged(everything).map(({ ruleName }) => ruleName);
    expect(rules.filter((rule) => !usual.includes(rule)).toSorted()).toEqual(
      ['CFR1', 'CFR3', 'SMG4'].map((rule) => `AwsSolutions-${rule}`),
    );
  });
});

describe('the secret between CloudFront and the functions', () => {
  test('is generated, and copied to the region of CloudFront', () => {
    expect(deployed.all('AWS::SecretsManager::Secret')).toMatchObject([
      {
        Name: 'domain-monitor-prod-origin',
        GenerateSecretString: { PasswordLength: 64 },
        ReplicaRegions: [{ Region: 'us-east-1' }],
      },
    ]);
    const near = synthesize({
      ...withFirewall,
      region: 'us-east-1',
      certificateArn: withFirewall.edgeCertificateArn,
    });
    expect(near.all('AWS::SecretsManager::Secret')[0]?.ReplicaRegions).toBeUndefined();
  });

  test('is known to every function, and in no template', () => {
    for (const { summary } of [...Object.values(routes), ...Object.values(triggers)]) {
      expect(deployed.environment(summary).ORIGIN_SECRET).toBe(SECRET);
    }
  });
});

test('without the setting, there is neither CloudFront nor a secret', () => {
  const without = synthesize(prod);
  expect(without.all('AWS::CloudFront::Distribution')).toEqual([]);
  expect(without.all('AWS::SecretsManager::Secret')).toEqual([]);
  expect(without.environment(routes.home.summary).ORIGIN_SECRET).toBeUndefined();
});
