import { expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { everything, prod, synthesize } from './synthesize.ts';

test('the API answers at its own name, and only there where that is asked for', () => {
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

test('links name another origin where one stands before the API', () => {
  const deployed = synthesize({ ...everything, hostUrl: 'https://www.acme.org' });
  expect(deployed.environment(routes.getOpenApi.summary).HOST_URL).toBe('https://www.acme.org');
});

test('without a name of its own the API answers where API Gateway puts it', () => {
  const deployed = synthesize(prod);
  expect(deployed.all('AWS::ApiGatewayV2::DomainName')).toEqual([]);
  expect(deployed.all('AWS::ApiGatewayV2::Api')).toMatchObject([{ DisableExecuteApiEndpoint: false }]);
  expect(JSON.stringify(deployed.outputs('service').ApiUrl)).toContain('ApiEndpoint');
});
