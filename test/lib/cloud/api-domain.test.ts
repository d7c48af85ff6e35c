import { expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { everything, prod, synthesize } from './synthesize.ts';

test('with a custom domain, the API answers only there if that is set', () => {
  const deployed = synthesize(everything);
  expect(deployed.all('AWS::ApiGatewayV2::DomainName')).toMatchObject([
    {
      DomainName: 'monitor.acme.org',
      DomainNameConfigurations: [
        { CertificateArn: everything.certificateArn, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' },
      ],
    },
  ]);
  expect(deployed.all('AWS::ApiGatewayV2::ApiMapping')).toHaveLength(1);
  expect(deployed.all('AWS::ApiGatewayV2::Api')).toMatchObject([{ DisableExecuteApiEndpoint: true }]);
  expect(deployed.outputs('service').ApiUrl).toBe('https://monitor.acme.org');
  expect(deployed.environment(routes.getOpenApi.summary).HOST_URL).toBe('https://monitor.acme.org');
});

test('without a custom domain, the API answers at the address of API Gateway', () => {
  const deployed = synthesize(prod);
  expect(deployed.all('AWS::ApiGatewayV2::DomainName')).toEqual([]);
  expect(deployed.all('AWS::ApiGatewayV2::Api')).toMatchObject([{ DisableExecuteApiEndpoint: false }]);
  expect(JSON.stringify(deployed.outputs('service').ApiUrl)).toContain('ApiEndpoint');
});
