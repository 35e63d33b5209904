/** A teacher's lessons, the newest first. */

import { Icon } from "../app/icon.js";
import { shortTime } from "../text/locale.js";
import { LoadableList } from "./loadable_list.js";
import type { PanelProps } from "./panel.js";
import { type Course, coursesOf, type Mission, missionsOf, useDocuments } from "./documents.js";
import { minutes, say } from "./texts.js";

export function Missions({ connection, go }: PanelProps) {
  const { uid } = connection;
  const missions = useDocuments<Mission>(connection, `missions ${uid}`, missionsOf(uid)).value;
  const courses = useDocuments<Course>(connection, `courses ${uid}`, coursesOf(uid)).value;
  const courseName = (id: string | null) => courses.value?.find((each) => each.id === id)?.name;
  return (
    <>
      <button class="button primary" onClick={() => go("new")}>
        <Icon name="plus" />
        {say("missions.new")}
      </button>
      <LoadableList found={missions} empty={say("missions.empty")}>
        {(found) => (
          <ul class="lesson-list">
            {found.sort(byTime).map((mission) => (
              <li key={mission.id} class="mission">
                <button class="lesson-row" onClick={() => go(`edit.${mission.id}`)}>
                  <strong dir="auto">{mission.title}</strong>
                  <span class="quiet mission-about">
                    <bdi>{courseName(mission.courseId) ?? say("missions.no_course")}</bdi>
                    <span>{mission.level}</span>
                    <span>{minutes(mission.durationMinutes)}</span>
                    {mission.updatedAt && <span>{shortTime(mission.updatedAt.toDate())}</span>}
                  </span>
                </button>
                <button class="button small" onClick={() => go(`report.${mission.id}`)}>
                  {say("missions.report")}
                  <span class="visually-hidden">: {mission.title}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </LoadableList>
    </>
  );
}

function byTime(one: Mission, other: Mission): number {
  return (other.updatedAt?.toMillis() ?? 0) - (one.updatedAt?.toMillis() ?? 0);
}
