/** What the name of an operation follows in the header `X-Amz-Target`. */
export const TARGET = 'DynamoDB_20120810.';
