// The fields of a form whose texts are kept by the names of the API.
export interface TextField {
  label: string
  value: string
  error: string | undefined
  onChange(event: { currentTarget: { value: string } }): void
}

/** Gives each field of the form its properties. */
export const fieldsOf =
  <Form extends object>(form: Form, change: (form: Form) => void, errors: Record<string, string>) =>
  (name: keyof Form & string, label: string): TextField => ({
    label,
    value: String(form[name]),
    error: errors[name],
    onChange: ({ currentTarget }) => change({ ...form, [name]: currentTarget.value }),
  })

/** Without what was left empty. */
export const filled = <Form extends object>(form: Form): Partial<Form> =>
  Object.fromEntries(Object.entries(form).filter(([, value]) => value !== '')) as Partial<Form>
