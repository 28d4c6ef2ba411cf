/** What the gateway asks to know who a request is from. */
import {
  type AnyCaller,
  type ForwardedCaller,
  type MessageSecurity,
  Problem,
  type UsernameToken,
} from '../contract/index.ts';
import type { Protocol, WireRequest } from '../formats/index.ts';

/** What a caller is recognized by: its headers, its address and its certificate. */
export interface RequestOrigin extends Pick<WireRequest, 'headers' | 'sender' | 'certificate'> {
  /** Other credentials, which only an upstream knows. */
  readonly presented?: readonly string[];
  /** The code that a person has typed beside the secret. */
  readonly code?: string | undefined;
}

export interface Authenticator {
  /** Returns the caller, or throws 401 with a challenge. `token`: the credential in the message, where the head has none. */
  authenticate(request: RequestOrigin, token?: UsernameToken): Promise<AnyCaller>;
  /** Throws 401 for a request without a credential, whatever `authenticate` accepts. */
  requireCredential(request: RequestOrigin): Promise<AnyCaller>;
}

export interface MessageAuthenticator {
  /** Whether the credential of a request may be in its message, which is read first. */
  awaitsMessage(request: RequestOrigin, protocol: Pick<Protocol, 'hasCredentialInBody'>): boolean;
  /** Returns the caller by its token, or by its certificate where the message has none. Throws a Problem. */
  authenticate(request: RequestOrigin, security: MessageSecurity | undefined): Promise<AnyCaller>;
  /** Throws where a request with a credential in its head has another one in its message, or where its time is over. */
  check(security: MessageSecurity | undefined): void;
}

/** No message has a credential. */
export const noMessages: MessageAuthenticator = Object.freeze<MessageAuthenticator>({
  awaitsMessage: () => false,
  authenticate: async () => {
    throw new Problem('unauthorized');
  },
  check: () => {},
});

/** Every caller without a credential. The upstream sees no difference between them. */
export const anonymous: ForwardedCaller = Object.freeze({
  credential: 'anonymous',
  tenant: 'anonymous',
  requiresKey: false,
  rights: 'upstream',
});

/** Whether a request came without a credential, and the upstream decides about its caller. */
export function isAnonymous(caller: AnyCaller): boolean {
  return caller === anonymous;
}
