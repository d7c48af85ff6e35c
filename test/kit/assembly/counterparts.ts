/** The local counterparts of the resources in an assembly: their names, addresses and ARNs. */

import type { Arns } from './arns.ts';
import { AssemblyError, type Resource } from './cloud-assembly.ts';
import type { Counterparts } from './intrinsics.ts';

/** The names and addresses that the host chooses. */
interface LocalNames {
  readonly table: string;
  /** The name of the mail bucket. Other buckets have a name but no storage. */
  bucket(resource: Resource): string;
  queue(resource: Resource): string;
  queueUrl(name: string): string;
  apiUrl(): string;
}

/**
 * The name of a resource that has no explicit name. It is also a function's access key, which identifies the sender of
 * a request.
 */
export const nameOf = ({ stack, id }: Resource): string => `${stack}-${id}`;

interface Kind {
  reference(resource: Resource, names: LocalNames, arns: Arns): string;
  arn(resource: Resource, names: LocalNames, arns: Arns): string;
}

const table: Kind = {
  reference: (_resource, names) => names.table,
  arn: (_resource, names, arns) => arns.table(names.table),
};

const kinds: Readonly<Record<string, Kind>> = {
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::DynamoDB::Table': table,
  'AWS::S3::Bucket': {
    reference: (resource, names) => names.bucket(resource),
    arn: (resource, names, arns) => arns.bucket(names.bucket(resource)),
  },
  'AWS::SQS::Queue': {
    reference: (resource, names) => names.queueUrl(names.queue(resource)),
    arn: (resource, names, arns) => arns.queue(names.queue(resource)),
  },
  'AWS::Lambda::Function': {
    reference: nameOf,
    arn: (resource, _names, arns) => arns.function(nameOf(resource)),
  },
  'AWS::SNS::Topic': {
    reference: (resource, _names, arns) => arns.arn('sns', nameOf(resource)),
    arn: (resource, _names, arns) => arns.arn('sns', nameOf(resource)),
  },
  'AWS::SES::EmailIdentity': {
    reference: ({ properties }) => properties.EmailIdentity,
    arn: ({ properties }, _names, arns) => arns.identity(properties.EmailIdentity),
  },
};

const anyOther: Kind = {
  reference: nameOf,
  arn: (resource, _names, arns) =>
    arns.arn(resource.type.split('::')[1]?.toLowerCase() ?? '', nameOf(resource)),
};

export function counterparts(names: LocalNames, arns: Arns): Counterparts {
  const kindOf = ({ type }: Resource): Kind => kinds[type] ?? anyOther;
  return {
    reference: (resource) => kindOf(resource).reference(resource, names, arns),
    attribute(resource, name) {
      if (/Arn$/.test(name)) return kindOf(resource).arn(resource, names, arns);
      if (name === 'ApiEndpoint') return names.apiUrl();
      if (name === 'QueueName') return names.queue(resource);
      throw new AssemblyError(`${resource.stack}: ${resource.id}.${name} is not supported by the local host`);
    },
  };
}
