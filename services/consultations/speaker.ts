import * as z from 'zod'
import type { Caller } from '../_kit/identity.ts'
import type { TurnSession } from './session.ts'

export const AuthorType = z.enum(['client', 'lawyer', 'firm_admin', 'operator', 'assistant'])
export type AuthorType = z.infer<typeof AuthorType>

/** The person who speaks in a turn. The client of the matter remains the user of the session. */
export interface Speaker {
  userId: string
  userType: AuthorType
  superuser: boolean
}

/** User type of a person; one without a known type has the rights of a client. */
const toUserType = (userType: string | null | undefined): AuthorType => {
  const parsed = AuthorType.exclude(['assistant']).safeParse(userType)
  return parsed.success ? parsed.data : 'client'
}

/** The speaker of a request: the caller, else the user that the body names, else the user of the session. */
export function resolveSpeaker(
  caller: Caller,
  session: TurnSession,
  namedUserId: string | undefined,
): Speaker {
  const userId = caller.userId ?? namedUserId ?? session.user_id
  const userType = caller.userType ?? (userId === session.user_id ? session.user_type : undefined)
  return { userId, userType: toUserType(userType), superuser: caller.superuser }
}

/** Headers that identify the speaker to another service. */
export const speakerHeaders = (
  { userId, userType, superuser }: Speaker,
  {
    organizationId,
    requestId,
    traceparent,
  }: {
    organizationId: string
    requestId: string
    traceparent: string
  },
): Record<string, string> => ({
  'x-user-id': userId,
  'x-user-type': userType,
  'x-organization-id': organizationId,
  ...(superuser && { 'x-is-superuser': 'true' }),
  'x-request-id': requestId,
  traceparent,
})
