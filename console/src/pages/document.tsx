// The page of one document: what it says, what can be done, and what belongs to it.
import { Anchor, Button, Center, Group, Loader, Menu, Stack } from '@mantine/core'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'react-router'
import { PUBLIC_PATH, queryText } from '../api/call.ts'
import { useMayWrite, useSession } from '../app/session.tsx'
import { ActionDialog } from '../documents/action-dialog.tsx'
import { actionsOf, type Action } from '../documents/actions.ts'
import { Facts } from '../documents/facts.tsx'
import { kindAt, partyOf, textOf, type Document, type Kind } from '../documents/kinds.ts'
import { Lines } from '../documents/lines.tsx'
import { pathOf, useDocument } from '../documents/read.ts'
import { Related } from '../documents/related.tsx'
import { Refusal } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { PageHead, useWindowTitle } from '../parts/page-head.tsx'
import { Status } from '../parts/status.tsx'

export function Page() {
  const kind = kindAt(useLocation().pathname)
  const { id = '' } = useParams()
  const { data, error, isPending } = useDocument(kind, id)
  useWindowTitle(data ? textOf(data, kind.number) : kind.title)
  return (
    <>
      <Anchor component={Link} to={kind.path} size="sm">
        {kind.title}
      </Anchor>
      {isPending && (
        <Center h={200}>
          <Loader aria-label="Loading" />
        </Center>
      )}
      {error && !data && <Refusal error={error} />}
      {data && (
        <Stack gap="md">
          <Head kind={kind} document={data} />
          <Facts kind={kind} document={data} />
          <Lines kind={kind} document={data} />
          <Related key={id} kind={kind} document={data} id={id} />
        </Stack>
      )}
    </>
  )
}

function Head({ kind, document }: { kind: Kind; document: Document }) {
  const mayWrite = useMayWrite()
  const [chosen, setChosen] = useState<Action | null>(null)
  const actions = mayWrite ? actionsOf(kind.type, document) : []
  const main = actions.find(({ isMain }) => isMain)
  const others = actions.filter((action) => action !== main)
  return (
    <PageHead
      title={
        <Group gap="xs" component="span">
          {textOf(document, kind.number)}
          <Status
            code={document['is_overdue'] === true ? 'OVERDUE' : textOf(document, 'status') || textOf(document, 'flow')}
          />
        </Group>
      }
      detail={partyOf(document, kind)}
    >
      {kind.isPrinted && <PdfLink kind={kind} document={document} />}
      {others.length > 0 && <OtherActions actions={others} onChoose={setChosen} />}
      {main && <Button onClick={() => setChosen(main)}>{main.label}</Button>}
      {chosen && <ActionDialog kind={kind} document={document} action={chosen} onClose={() => setChosen(null)} />}
    </PageHead>
  )
}

function OtherActions({ actions, onChoose }: { actions: Action[]; onChoose: (action: Action) => void }) {
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button variant="default" rightSection={<Icon name="down" />}>
          Actions
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map((action) => (
          <Menu.Item key={action.name} onClick={() => onChoose(action)} className={action.isDangerous && 'dangerous'}>
            {action.label}…
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

// A link, so that the browser shows the file as it shows others; a link has no headers, so the query names the organisation.
function PdfLink({ kind, document }: { kind: Kind; document: Document }) {
  const { organization } = useSession()
  const path = `${PUBLIC_PATH}${pathOf(kind, textOf(document, kind.id))}/pdf${queryText({ organization_id: organization.org_id })}`
  return (
    <Button
      component="a"
      href={path}
      target="_blank"
      rel="noopener"
      variant="default"
      leftSection={<Icon name="pdf" />}
    >
      PDF
    </Button>
  )
}
