/** What DynamoDB answers when it does not do what was asked: a type, a message, HTTP 400 (AWS, "Error handling with DynamoDB"). */

/** Where each family of errors is declared; a client compares what follows the `#`. */
const DYNAMODB = 'com.amazonaws.dynamodb.v20120810';
const VALIDATION = 'com.amazon.coral.validate';
const PROTOCOL = 'com.amazon.coral.service';

export class Refusal extends Error {
  readonly type: string;
  /** Members of the answer beside `message`, such as the `Item` of a failed condition. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(type: string, message: string, members: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.type = type;
    this.members = members;
  }
}

/** The request can never succeed as it stands. */
export class InvalidRequest extends Refusal {
  constructor(message: string) {
    super(`${VALIDATION}#ValidationException`, message);
  }
}

/** A key value of nothing. Unlike all else that does not fit its table, it refuses even a transaction as a whole. */
export const emptyKey = (name: string, type: 'string' | 'binary'): Refusal =>
  new Refusal(
    `${VALIDATION}#ValidationException`,
    `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${type} value. Key: ${name}`,
  );

/** An argument whose value is wrong, in DynamoDB's own opening words. */
export const invalidParameter = (what: string): InvalidRequest =>
  new InvalidRequest(`One or more parameter values were invalid: ${what}`);

/** A member of the request outside its bounds; `member` in DynamoDB's spelling, first letter small. */
export const constraintViolated = (member: string, constraint: string): InvalidRequest =>
  new InvalidRequest(
    `1 validation error detected: Value at '${member}' failed to satisfy constraint: ${constraint}`,
  );

export const CONDITION_FAILED = 'The conditional request failed';

export const conditionFailed = (item?: unknown): Refusal =>
  new Refusal(`${DYNAMODB}#ConditionalCheckFailedException`, CONDITION_FAILED, item ? { Item: item } : {});

export interface CancellationReason {
  readonly Code: 'None' | 'ConditionalCheckFailed' | 'ValidationError';
  readonly Message?: string;
  readonly Item?: unknown;
}

/** One reason for each action of the transaction, in their order. */
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
