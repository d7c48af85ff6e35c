/** DynamoDB's error responses: a type, a message and HTTP 400 (AWS, "Error handling with DynamoDB"). */

/** The namespace of each family of errors; clients compare the part after the `#`. */
const DYNAMODB = 'com.amazonaws.dynamodb.v20120810';
const VALIDATION = 'com.amazon.coral.validate';
const PROTOCOL = 'com.amazon.coral.service';

export class Refusal extends Error {
  readonly type: string;
  /** Members of the response beside `message`, such as the reasons of a cancelled transaction. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(type: string, message: string, members: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.type = type;
    this.members = members;
  }
}

/** The request is invalid and would fail again. */
export class InvalidRequest extends Refusal {
  constructor(message: string) {
    super(`${VALIDATION}#ValidationException`, message);
  }
}

/** What DynamoDB has and this service does not use. */
export const notOffered = (feature: string): InvalidRequest =>
  new InvalidRequest(`The embedded DynamoDB does not offer ${feature}`);

/** An empty key value. Unlike other schema violations, it fails a transaction as a whole. */
export const emptyKey = (name: string): Refusal =>
  new Refusal(
    `${VALIDATION}#ValidationException`,
    `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
  );

/** An invalid argument, with DynamoDB's wording. */
export const invalidParameter = (what: string): InvalidRequest =>
  new InvalidRequest(`One or more parameter values were invalid: ${what}`);

/**
 * A member of the request that is out of range; `member` is spelled as in DynamoDB's messages, first letter lower case.
 */
export const constraintViolated = (member: string, constraint: string): InvalidRequest =>
  new InvalidRequest(
    `1 validation error detected: Value at '${member}' failed to satisfy constraint: ${constraint}`,
  );

export const CONDITION_FAILED = 'The conditional request failed';

export const conditionFailed = (): Refusal =>
  new Refusal(`${DYNAMODB}#ConditionalCheckFailedException`, CONDITION_FAILED);

export interface CancellationReason {
  readonly Code: 'None' | 'ConditionalCheckFailed' | 'ValidationError';
  readonly Message?: string;
}

/** One reason per action of the transaction, in order. */
export const transactionCancelled = (reasons: readonly CancellationReason[]): Refusal =>
  new Refusal(
    `${DYNAMODB}#TransactionCanceledException`,
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(', ')}]`,
    { CancellationReasons: reasons },
  );

export const tokenReused = (): Refusal =>
  new Refusal(
    `${DYNAMODB}#IdempotentParameterMismatchException`,
    'A request with the same client request token and other parameters was made within the last ten minutes',
  );

export const noSuchTable = (name: string): Refusal =>
  new Refusal(
    `${DYNAMODB}#ResourceNotFoundException`,
    `Requested resource not found: Table: ${name} not found`,
  );

export const tableExists = (name: string): Refusal =>
  new Refusal(`${DYNAMODB}#ResourceInUseException`, `Table already exists: ${name}`);

export const unknownOperation = (): Refusal => new Refusal(`${PROTOCOL}#UnknownOperationException`, '');

export const malformedRequest = (message: string): Refusal =>
  new Refusal(`${PROTOCOL}#SerializationException`, message);

export const internalError = (message: string): Refusal =>
  new Refusal(`${DYNAMODB}#InternalServerError`, message);
