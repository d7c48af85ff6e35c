/** A command that cannot be carried out as given; its message is for the operator. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}
