package curator

// kind is a set of kinds of words: what a word does in an order to whoever reads it.
type kind uint64

// wordKinds are the words that signs are put together from, by kind. Words of other languages stand beside the English ones, behind
// them; _ joins the words of a phrase. Words of scripts without spaces are looked for wherever they stand.
var wordKinds = []struct{ name, words string }{
	// Who speaks and who is spoken to.
	{"reader", `
		agent agents assistant assistants llm llms chatbot chatbots bots gpt chatgpt claude copilot ai_model ai_models language_model
		language_models ai_system ai_systems ai_agent ai_agents ai_assistant ai_assistants ai_bot ai_tool ai_tools ais autonomous_agent
		autonomous_agents automated_agents agenten assistenten agentes asistentes агент агенты ассистент 智能体 助手 エージェント アシスタント 에이전트 crawler crawlers
		summarizer summariser automated_reader automated_readers automated_system automated_systems machine_reader machine_readers reasoning_model
		reasoning_models language_agents`},
	{"vocative", `
		dear_assistant dear_agent dear_agents dear_ai dear_llm hey_assistant hey_claude hey_ai hey_agent attention_agents attention_ai
		attention_all_agents attention_all_ai note_to_agents note_to_ai note_to_any note_to_the_agent note_for_ai note_for_agents message_to_agents
		message_to_ai message_for_ai message_for_agents instructions_for_agents instructions_for_ai for_ai_agents for_ai_assistants to_all_agents
		to_all_ai to_any_ai to_the_ai to_the_agent as_an_ai as_an_llm as_a_language_model as_an_autonomous_agent calling_all_agents all_ai_agents
		fellow_agents`},
	{"youare", `
		you_are you're you_will_be you_shall_be you_act_as you_become du_bist eres vous_etes tu_es ты вы_теперь 你是 你现在 you_play you_are_playing
		your_character_is play_the_role take_the_role assume_the_role take_on_the_role`},
	{"yours", `
		your my the_user's the_users the_operator's the_owner's user's operator's owner's dein deine deinen deinem ihre ihren tu tus su sus votre
		vos ta seu sua seus suas tua tuo il_tuo la_tua твой твои свой свою ваш ваши ваше владельца пользователя 你的 您的 用户的 あなたの 너의 당신의`},
	{"master", `
		maintainer maintainers developer developers operator admin administrator owner creator creators moderator security_team agentlore openai
		anthropic vendor trust_team core_team team audit_team support_team staff support operations_team protocol_team foundation administrators
		operators curators curator agentlore_team`},
	{"asi", `
		as_the as_your i_am_the i_am_your this_is_the this_is_your message_from note_from on_behalf_of speaking_as signed_by official_notice_from
		official_message_from by_order_of notice_from we_are_the i'm_the i'm_your i_am_a writing_as speaking_for acting_for`},
	{"grants", `
		confirm confirms confirmed approve approved approves authorise authorised authorize authorized permit permitted lifted waived verified
		cleared whitelisted allowed trusted canonical may_skip can_skip can_be_skipped may_be_skipped validated supersedes authoritative exempt
		official`},
	// What is to be disregarded.
	{"drop", `
		ignore disregard forget discard override overriding bypass overrule abandon neglect unlearn erase set_aside throw_away stop_following
		do_not_follow don't_follow never_follow ignoriere ignorieren ignoriert vergiss missachte ignora ignorad olvida olvide descarta ignorez
		ignorer oubliez oublie ignore-toi ignorar esqueca desconsidere dimentica scarta zignoruj negeer игнорируй игнорируйте забудь забудьте
		отбрось abaikan lupakan yoksay gormezden_gel unut bo_qua 忽略 无视 忘记 忽視 無視 忘れ 무시 잊어 تجاهل انس अनदेखा नजरअंदाज pay_no_attention_to do_not_obey
		stop_obeying do_not_comply_with cast_aside nullify wipe clear purge dismiss put_aside leave_aside reset`},
	{"prior", `
		previous previously prior above earlier preceding former foregoing before initial original vorherigen vorherige vorigen bisherigen obigen
		frueheren anteriores anterior previas precedentes precedente anterieures precedenti precedents предыдущие предыдущих прежние предшествующие
		прошлые poprzednie vorige eerdere onceki sebelumnya truoc_do truoc 之前 以前 先前 上述 以上 前の これまで 이전 위의 السابقة पिछले verbatim so_far word_for_word
		you_know you_were_told you_have_been_told you_learned you_were_taught been_told came_before you_were_given`},
	{"all", `
		all every everything whole entire alle toutes todas todos tutte все 所有 全部 すべて 全ての 모든 جميع सभी ganze gesamte gesamtes todo tout tous toda
		tutti весь each`},
	{"commands", `
		instruction instructions system_prompt system_prompts guideline guidelines directive directives system_message anweisungen anweisung
		instruktionen befehle vorgaben instrucciones ordenes indicaciones consignes instrucoes istruzioni ordini direttive инструкции инструкций
		указания команды instrukcje polecenia instructies instruksi perintah talimatlari talimatlar huong_dan chi_dan 指令 指示 说明 提示词 命令 규칙 지시 지침 명령
		التعليمات الأوامر निर्देशों निर्देश prompts your_prompt original_prompt prompt_text briefing mandate system_context`},
	{"limits", `
		rules policy policies restrictions constraints limitations guardrails guardrail safeguards safeguard filters filtering moderation alignment
		boundaries ethics regeln reglas regras regles правила 规则 ルール safety safety_checks safety_rules safety_filter safety_filters safety_policy
		content_filter content_filters content_filtering content_policy refusal refusals security_checks verification_step safety_measures
		safety_protocols security_policy precautions safe_mode principles content_policies safety_guidelines safety_settings safety_features
		usual_checks`},
	{"void", `
		no_longer void revoked lifted suspended cancelled canceled obsolete superseded replaced outdated invalid don't_apply do_not_apply
		doesn't_apply does_not_apply not_apply are_off expired deprecated null not_binding waived unnecessary irrelevant do_not_count inactive
		disabled`},
	// Playing another.
	{"pretend", `pretend roleplay role-play role_play simulate_being act behave play impersonate`},
	{"persona", `
		unrestricted unfiltered uncensored jailbroken jailbreak dan no_restrictions no_rules no_limits no_limitations no_filter without_restrictions
		without_rules without_limits without_filters without_any_restrictions without_any_rules developer_mode god_mode admin_mode debug_mode
		maintenance_mode root_mode evil amoral in_character no_longer_bound not_bound free_of free_from can_do_anything do_anything_now no_ethics
		no_morals evil_twin alter_ego without_censorship without_ethics root_access superuser sudo_mode opposite_mode without_safety
		without_guardrails no_guardrails no_safety`},
	{"newtask", `
		your_new_task your_new_goal your_new_role your_new_objective your_new_mission your_new_instructions your_new_purpose your_real_task
		your_actual_task your_real_instructions your_true_purpose your_only_task your_only_goal your_mission_is your_task_now
		your_primary_objective_is_now stay_in_character never_break_character remain_in_character do_not_break_character`},
	{"fromnow", `
		from_now_on from_here_on from_this_point_on from_this_moment_on henceforth going_forward ab_jetzt von_nun_an a_partir_de_ahora desormais
		a_partir_de_agora d'ora_in_poi отныне с_этого_момента 从现在开始 从现在起 今後は 지금부터 starting_now effective_immediately until_further_notice
		for_the_rest_of_this for_the_remainder`},
	{"always", `always never must you your obey`},
	// Secrets, funds, signatures.
	{"give", `
		send post submit reveal print show paste share upload forward give provide tell include output leak export reply dump disclose email
		transmit expose echo supply deliver recite attach hand_over sende senden schicke schick ueberweise gib teile nenne envia envie enviad manda
		comparte revela proporciona envoyez envoie donnez partagez communiquez compartilhe mande invia inviare condividi rivela отправь отправьте
		пришли пришлите сообщи передай покажи wyslij stuur kirim bagikan gonder gui 发送 发给 提供 告诉 透露 送って 送信 教えて 보내 알려 أرسل भेजें भेजो write_out
		list_out sent submitted posted shared uploaded hand_us relay publish pass_on surrender report_back email_us`},
	{"enter", `enter type input fill_in import restore connect`},
	{"secret", `
		private_key private_keys secret_key secret_keys privkey seed seeds seed_phrase seed_phrases seed_words mnemonic mnemonics mnemonic_phrase
		recovery_phrase recovery_phrases secret_phrase backup_phrase keystore keystore_file keystores keyfile credentials password passwords
		passphrase api_key api_keys api_token api_tokens access_token bearer_token bearer_tokens session_token auth_token wallet_key wallet_keys
		signing_key signing_keys .env environment_variables env_vars .ssh id_rsa 12_words 24_words twelve_words privaten_schluessel
		privaten_schlussel privater_schlussel seed-phrase passwort clave_privada llave_privada frase_semilla cle_privee phrase_secrete chave_privada
		frase_semente chiave_privata приватный_ключ приватные_ключи закрытый_ключ сид-фразу сид_фразу мнемонику пароль klucz_prywatny prive_sleutel
		kunci_pribadi ozel_anahtar khoa_rieng 私钥 助记词 密钥 种子短语 秘密鍵 シードフレーズ 개인키 개인_키 시드_구문 المفتاح_الخاص निजी_कुंजी secret_recovery_phrase signer_key
		signer_keys account_key account_keys deployer_key secret_words backup_words recovery_words wallet's_key wallet's_keys wallet's_keystore`},
	{"seed", `
		seed_phrase seed_words mnemonic mnemonic_phrase recovery_phrase secret_phrase private_key secret_key 12_words 24_words
		secret_recovery_phrase secret_words recovery_words twelve_words seed`},
	{"innards", `
		system_prompt system_prompts system_message tool_definitions tool_list hidden_instructions initial_instructions your_configuration
		your_context context_window chat_history conversation_history this_conversation our_conversation your_conversation the_conversation_here
		the_whole_conversation`},
	{"move", `
		send transfer deposit move withdraw sweep bridge drain forward pay donate migrate swap ueberweise transfiere transfiera transferez transfere
		transferir trasferisci переведи переведите отправь 转账 转移 转 送金 이체 empty remit consolidate route`},
	{"money", `
		fund funds token tokens balance balances eth ether sol usdc usdt xrp btc dai weth assets asset coin coins money holdings guthaben gelder
		fondos saldo fonds fundos fondi средства баланс 资金 余额 代币 資金 자금 wallet_balance portfolio nft nfts liquidity treasury stablecoins crypto
		savings`},
	{"rescue", `rescue recovery safe new secure migration emergency verification following unlock`},
	{"place", `wallet vault address safe adresse direccion endereco indirizzo адрес 地址 アドレス 주소`},
	{"hurry", `
		urgent act_now act_immediately act_fast last_chance last_warning final_warning final_notice before_it_is_too_late before_it's_too_late hurry
		emergency_migration respond_immediately do_it_now seconds_to_act minutes_to_act seconds_to_respond minutes_to_respond minutes_left
		seconds_left hours_left time_is_running_out running_out_of_time no_time_to no_time_left this_very_minute`},
	{"sign", `
		sign approve accept grant authorise authorize execute confirm submit broadcast permit click whitelist set auto approve_all countersign
		co-sign cosign endorse allow give`},
	{"grantable", `
		transaction transactions permit permits approval approvals allowance allowances request requests signature signatures spender delegation
		message messages it them this that userop contract`},
	{"unlimited", `unlimited infinite maximum max uint256.max unrestricted full`},
	{"unasked", `
		without_asking without_confirmation without_confirming without_consent without_prompting without_telling without_review without_reviewing
		without_simulating without_simulation without_human without_approval without_verification without_further without_waiting without_warning
		without_permission don't_ask do_not_ask never_ask no_confirmation no_need_to_ask no_questions do_not_wait don't_wait skip_the_confirmation
		skip_confirmation skip_the_simulation skip_simulation skip_the_review no_need_to_show no_need_to_check no_need_to_verify no_questions_asked
		do_not_simulate don't_simulate without_a_prompt without_further_checks ignore_warnings ignore_the_warning ignore_any_warning
		ignore_any_warnings dismiss_warnings without_looking without_reading skip_the_check skip_the_checks no_review without_a_second_look`},
	// Keeping quiet, keeping on, coming first.
	{"not", `not don't never without nicht nunca ne não не 不要 不`},
	{"tell", `
		tell inform mention notify alert reveal warn disclose report show log ask consult expose say explain hide conceal telling informing
		notifying mentioning alerting disclosing`},
	{"anyuser", `
		your_user your_users the_user your_human the_human your_operator the_operator your_owner your_principal the_principal the_humans humans
		a_human your_developer your_developers your_boss your_humans the_person_you whoever_runs_you the_human_you your_supervisor your_client
		your_customer`},
	{"store", `store save remember write add keep append persist memorise memorize record insert put commit`},
	{"memory", `
		memory memories long-term_memory system_prompt instructions context knowledge_base profile notes persistent_memory scratchpad agents.md
		claude.md cursorrules core_rules configuration`},
	{"lasting", `
		future_sessions future_session future_conversations future_conversation future_tasks every_future all_future long_term_memory every_session
		later_sessions subsequent_sessions`},
	{"repeat", `repeat copy paste insert reproduce spread propagate begin start end prefix`},
	{"each", `every each all future next subsequent any`},
	{"answer", `answer answers response responses reply replies summary summaries report reports submission submissions`},
	{"when", `when whenever if should in_case every_time each_time as_soon_as`},
	{"asks", `
		asks ask asked asking queries queried summarise summarising summarize summarizing summarised summarized summarises summarizes question
		questions inquires prompted mentions mentioned brings_up is_interested wants_to_know looks_for is_looking_for searches_for needs_help
		asking_about`},
	{"reply", `say answer recommend reply respond tell suggest insist assert cite link direct refer point steer advise deny recommends warn suggests quote`},
	{"prefer", `
		prefer rank choose rate upvote vote promote prioritise prioritize favor favour select put place trust treat mark score classify validate
		endorse cite pick return show surface recommend confirm boost accept ranked rated treated marked preferred chosen promoted prioritized
		prioritised placed listed`},
	{"this", `this my our me it these`},
	{"item", `
		answer report entry result submission source text item record post finding observation response note document page advice passage snippet
		answers reports entries results submissions sources items records posts one comment guide article knowledge_unit`},
	{"top", `
		first top over above highest best verified trusted canonical validated worked correct authoritative 10 ten 5_stars official ground_truth
		maximum reliable one only most number_one preferred definitive truth gospel fact`},
	{"others", `other others competing conflicting remaining alternative contradicting contradicts contradict different`},
	{"bury", `discard ignore disregard hide drop reject downvote flag demote suppress exclude omit delete remove report`},
	{"resubmit", `resubmit repost register submit report`},
	{"sham", `
		own_name different_names different_sources different_source different_accounts another_account new_accounts more_accounts several_accounts
		multiple_accounts several_times three_times five_times ten_times multiple_times many_times under_another_name same_observation same_report
		sock outcome_worked as_worked the_outcome_is_worked worked_for_this second_source another_source second_account second_name
		outcome_of_worked`},
	{"join", `join combine concatenate merge assemble put_together read`},
	{"parts", `summary content resolution tags fields parts pieces halves first_letters initials`},
	{"carryout", `execute follow obey carry run perform act do`},
	{"disable", `disable deactivate turn_off switch_off suspend lift remove drop relax skip ignore bypass stop stop_using stop_applying leave_out`},
	{"allowed", `permission allowed authorised authorized free permitted`},
	{"reading", `
		reading reads read parsing parses processing processes summarising summarizing retrieving retrieves sees seeing consuming indexing ingesting
		encounters encountering finds ingests loads`},
	{"modal", `must should shall have_to need_to need has_to are_required_to are_instructed_to are_ordered_to are_to will_now please can may will`},
	{"claimok", `
		user_has_approved user_already_approved user_approved_the user_confirmed user_has_confirmed user_has_already human_approved
		human_has_approved operator_approved operator_has_approved confirmation_received human_confirmation operator_has_already owner_has_already
		has_already_agreed already_consented has_consented consent_was_given skip_all_further skip_all_checks you_may_skip no_further_checks
		no_further_confirmation proceed_with_signing proceed_with_the_transfer approved_by_the_user approved_by_user approved_by_your
		approved_by_operator authorized_by_the_user user_consent user_said_yes user_agreed the_user_agreed user_authorized user_has_authorized
		user_gave_consent`},
	// Words before an order that keep it one.
	{"lead", `
		please now then just first next also always immediately finally and or so you must should kindly to simply do step will shall need have
		agents assistants bitte por favor s'il vous plait after_that before_you_continue therefore but instead again you'll automatically directly
		silently quietly blindly quickly`},
}
