import { Aws } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';

/** Allows a service of AWS an action on a resource, on behalf of this account only. */
export const allowService = (service: string, action: string, resource: string): PolicyStatement =>
  new PolicyStatement({
    actions: [action],
    principals: [new ServicePrincipal(`${service}.amazonaws.com`)],
    resources: [resource],
    conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
  });
